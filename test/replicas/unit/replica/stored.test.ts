import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Table } from '../../../../src/lib/table/index.ts';
import { prefixEnd } from '../../../../src/replicas/replica/etcd/gateway.ts';
import { Head, type ReplicaIdentity } from '../../../../src/replicas/replica/head.ts';
import { keysOf } from '../../../../src/replicas/replica/list.ts';
import { type ListSchema, RowCodec } from '../../../../src/replicas/replica/rows.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { definitionOf41 } from '../../support/definition-of-4.1.ts';

const REPLICA = { variant: 'a', schema: variantA.fields, maxRows: 5, isMaxRowsGiven: false };

const COMMIT = { generation: 'g', idsAssigned: '1', changes: 1 };

const FIRST = Head.first(REPLICA, COMMIT, 'w.1');

function read(text: string, replica: ReplicaIdentity = REPLICA, revision = 1): Head {
  return Head.read({ key: 'head', value: text, revision }, replica);
}

/** The head after another one. */
function next(before: Head, token: string): Head {
  return read(before.successor(COMMIT, token), REPLICA, before.revision + 1);
}

describe('heads', () => {
  it('show that etcd was restored', () => {
    const first = read(FIRST);
    const second = next(first, 'w.2');
    assert(Head.isRestored(second, first), 'an earlier one');
    assert(Head.isRestored(second, next(first, 'x.1')), 'another one in the same revision');
    assert(Head.isRestored(second, undefined), 'none');
    assert(!Head.isRestored(first, second) && !Head.isRestored(first, read(FIRST)));
    assert(!Head.isRestored(undefined, first) && !Head.isRestored(undefined, undefined));
    assert(!first.isSame(read(FIRST, REPLICA, 2)), 'what is sent again after a restore');
  });

  it('are accepted by compatible replicas, also with more members', () => {
    assert.equal(read(FIRST, { ...REPLICA, maxRows: 7 }).members.maxRows, 5);
    const later = read(JSON.stringify({ ...JSON.parse(FIRST), more: 7 }));
    assert.equal(JSON.parse(later.successor(COMMIT, 'w.2')).more, 7);
  });

  it('refuse replicas of another variant, and say why', () => {
    const ofB = { ...REPLICA, variant: 'b', schema: variantB.fields };
    const message = 'head is of a, and this replica serves b (VARIANT, RESOURCE)';
    assert.throws(() => read(FIRST, ofB), { message });
  });

  it('have the fingerprints of 4.x, whose lists are read', () => {
    for (const [variant, fields] of [
      [variantA, 'I-fiAnjy6pPw'],
      [variantB, 'OajOazW-YLj9'],
    ] as const) {
      const { name, fields: schema } = definitionOf41(variant);
      const text = Head.first({ ...REPLICA, variant: name, schema }, COMMIT, 'w.1');
      assert.deepEqual([JSON.parse(text).format, JSON.parse(text).fields], [4, fields]);
    }
  });

  it('have another fingerprint if the fields store other values, and only then', () => {
    const { title, ...others } = variantA.fields;
    const accepts = (schema: ListSchema) => read(FIRST, { ...REPLICA, schema });
    const described = { ...title, description: 'another one' };
    accepts({ ...others, title: described });
    const different: readonly object[] = [
      others,
      { ...variantA.fields, more: title },
      ...[{ kind: 'integer' }, { nullable: true }, { maxLength: 7 }, { default: '-' }].map(
        (change) => ({ ...others, title: { ...title, ...change } }),
      ),
    ];
    for (const fields of different) {
      const refused = () => accepts({ id: variantA.fields.id, ...fields });
      assert.throws(refused, { message: 'head is of a list with other fields' });
    }
  });
});

describe('keys', () => {
  const keys = keysOf('/x/');

  it('sort like ids, up to the largest', () => {
    const ids = [1, 9, 10, 2 ** 31 - 1, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    const rows = ids.map((id) => keys.row('g', id));
    assert.deepEqual([...rows].sort(), rows);
    for (const row of rows) assert(row >= keys.rowsOf('g') && row < prefixEnd(keys.rowsOf('g')));
  });
});

/** Fields of their own, so that a new field of a variant changes nothing here. */
const { id, title, description, completed, priority, createdAt } = variantB.fields;
const SIZE = { kind: 'bigint', description: '' } as const;
const FIELDS = { id, title, description, completed, priority, createdAt, size: SIZE };

/** The last id of variant B. */
const LAST_ID = 2n ** 63n - 1n;

describe('a stored row', () => {
  it('round-trips without the id, which is in its key, and with all digits of integers', () => {
    const keys = keysOf('/x/');
    const values = {
      ...{ title: '"\u{10400}\n', description: null, completed: true },
      ...{ priority: 5, createdAt: '2026-11-20T09:30:00.123' },
    };
    const codec = new RowCodec(FIELDS);
    const table = new Table(FIELDS);
    for (const id of [1, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
      const row = { id, ...values, size: -id };
      const stored = { key: keys.row('g', id), value: codec.encode(row), revision: 7 };
      assert.match(stored.value, new RegExp(`"size":"-${id}"`));
      codec.replay(table, [stored], LAST_ID, 8);
      const { bytes: _, ...found } = table.find(id) ?? {};
      assert.deepEqual(found, { row, commit: 7 });
      codec.replay(table, [{ ...stored, value: undefined }], LAST_ID, 9);
      assert.deepEqual([table.find(id), table.lastCommit], [undefined, 9]);
    }
  });

  it('is not taken for one if it is something else, and is named', () => {
    const codec = new RowCodec(variantA.fields);
    const table = new Table(variantA.fields);
    const rowOf = (id: number, value: string | undefined) => ({
      ...{ key: keysOf('/x/').row('g', id), value, revision: 1 },
    });
    const good = '{"title":"x","description":""}';
    for (const value of ['', '{', 'null', '[]', '7', '{"title":7}', '{"title":"x","other":7}']) {
      const rows = [rowOf(1, good), rowOf(2, value), rowOf(3, good)];
      const refused = { name: 'Error', message: /^\/x\/row\/g\/0+2 / };
      assert.throws(() => codec.replay(table, rows, 3n, 1), refused);
      assert.equal(table.size, 0);
    }
    const replay = (digits: string) =>
      codec.replay(table, [{ ...rowOf(1, undefined), key: `/x/row/g/${digits}` }], 3n, 1);
    assert.throws(() => replay('12'), {
      message: '/x/row/g/12 does not end with the 19 digits of an id',
    });
    for (const id of ['0000000000000000000', '0000000002147483648', '9999999999999999999']) {
      assert.throws(() => replay(id), / does not end with the 19 digits of an id$/);
    }
    assert.throws(
      () => codec.replay(table, [rowOf(4, good)], 3n, 1),
      /an id above 3, the idsAssigned/,
    );
  });
});
