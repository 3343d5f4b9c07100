import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { prefixEnd } from '../../../../src/lib/replica/etcd/json.ts';
import {
  type CommitHead,
  headOf,
  MAX_WRITERS,
  nextHead,
  textOfHead,
  wasApplied,
} from '../../../../src/lib/replica/stored/commit-head.ts';
import type { ListSchema } from '../../../../src/lib/replica/stored/list-table.ts';
import { metaOf, newMeta } from '../../../../src/lib/replica/stored/meta.ts';
import { rowCodec } from '../../../../src/lib/replica/stored/row-codec.ts';
import {
  afterGeneration,
  keysOf,
  nextGeneration,
} from '../../../../src/lib/replica/stored/stored-list.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';

const REST = { generation: 'g', idsAssigned: 0n, changes: 0 };

/** The head of a writer's next transaction. */
function next(before: Pick<CommitHead, 'writers'>, writer: string, number: number) {
  return nextHead(before.writers, writer, number, REST);
}

const NO_HEAD = { writers: {} };

/** The number of ids of variant B. */
const MAX_IDS = 2n ** 63n - 1n;

/** A head, as it is stored in a revision. */
function stored(head: CommitHead, modRevision = 1) {
  return headOf({ key: '', value: textOfHead(head), modRevision, version: modRevision }, MAX_IDS);
}

describe('a head', () => {
  it('records whether the last transaction of a writer was applied', () => {
    const first = stored(next(NO_HEAD, 'a', 1), 1);
    const second = stored(next(first, 'b', 1), 2);
    assert.equal(wasApplied(second, first, 'a', 1), true);
    assert.equal(wasApplied(second, first, 'a', 2), false);
    assert.equal(wasApplied(second, first, 'c', 1), false);
    assert.equal(wasApplied(stored(next(second, 'a', 2), 3), second, 'a', 2), true);
  });

  it('does not know it after too many transactions of other writers', () => {
    const base = stored(next(NO_HEAD, 'x', 1), 1);
    let head = stored(next(base, 'a', 1), 2);
    for (let i = 1; i < MAX_WRITERS; i++) head = stored(next(head, `w${i}`, 1), 2 + i);
    assert.equal(wasApplied(head, base, 'a', 1), true);
    assert.equal(wasApplied(head, base, 'another', 1), false, 'it would be there');
    const before = head;
    head = stored(next(head, 'last', 1), before.version + 1);
    assert.equal(Object.keys(head.writers).length, 64);
    assert.equal(wasApplied(head, base, 'a', 1), undefined);
    assert.equal(wasApplied(head, base, 'last', 1), true);
    assert.equal(wasApplied(head, before, 'new', 1), false, 'all others have written before');
  });
});

describe('a head that another program wrote', () => {
  const head = { generation: 'g', idsAssigned: 1, changes: 1, writers: { a: 1 } };
  const read = (value: unknown) =>
    headOf({ key: 'head', value: JSON.stringify(value), modRevision: 1, version: 1 }, MAX_IDS);

  it('is refused unless it has the shape of one', () => {
    assert.equal(read(head).idsAssigned, 1n);
    assert.equal(read({ ...head, idsAssigned: '9007199254740993' }).idsAssigned, 2n ** 53n + 1n);
    const wrong: readonly object[] = [
      ...[-5, 'x', 1.5, 1e300].map((idsAssigned) => ({ idsAssigned })),
      ...[{ generation: 1 }, { changes: null }, { writers: null }, { writers: { a: 'b' } }],
    ];
    for (const members of wrong) {
      assert.throws(() => read({ ...head, ...members }), /is not /, JSON.stringify(members));
    }
    for (const value of [{}, null, [], 7]) assert.throws(() => read(value), /is not /);
    assert.equal(read({ ...head, idsAssigned: String(MAX_IDS) }).idsAssigned, MAX_IDS);
    assert.throws(() => read({ ...head, idsAssigned: String(MAX_IDS + 1n) }), {
      name: 'IncompatibleError',
      message: 'head has idsAssigned beyond the last id',
    });
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

  it('sort generations by age, so that older ones can be swept', () => {
    const first = nextGeneration(undefined);
    const second = nextGeneration(first);
    const rival = nextGeneration(first);
    assert.notEqual(second, rival);
    assert(first < second && first < rival);
    assert(second < afterGeneration(second) && rival < afterGeneration(second));
    assert(nextGeneration(second) >= afterGeneration(second));
  });
});

describe('a stored row', () => {
  it('round-trips without the id, which is in its key', () => {
    const keys = keysOf('/x/');
    const row = {
      ...{ id: 1, title: '"\u{10400}\n', description: null, completed: true },
      ...{ priority: 5, createdAt: '2026-11-20T09:30:00.123' },
    };
    const codec = rowCodec(variantB.fields);
    const { id: _, ...values } = row;
    assert.deepEqual(codec.decode('key', codec.encode(row)), values);
    for (const id of [1, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
      assert.equal(codec.idOf(keys.row('g', id)), id);
    }
    assert.equal(rowCodec(variantA.fields).idOf(keys.row('g', 7)), 7);
  });

  it('keeps all digits of 64-bit integers other than ids', () => {
    const fields = { ...variantB.fields, size: { kind: 'bigint', description: '' } } as const;
    const codec = rowCodec(fields);
    for (const size of [5, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 63n)]) {
      const text = codec.encode({ id: 1, size });
      assert.equal(text, `{"size":"${size}"}`, 'as earlier versions store it');
      assert.deepEqual(codec.decode('key', text), { size });
    }
  });

  it('is not taken for one if it is something else', () => {
    const codec = rowCodec(variantA.fields);
    for (const text of ['', '{', 'null', '[]', '7'])
      assert.throws(() => codec.decode('key', text), text);
    assert.throws(() => codec.idOf('/x/row/g/12'), {
      message: '/x/row/g/12 does not end with an id of 19 digits',
    });
    for (const id of ['0000000000000000000', '0000000002147483648', '9999999999999999999']) {
      assert.throws(() => codec.idOf(`/x/row/g/${id}`), / has an id that is out of range$/);
    }
    const last = '9223372036854775807';
    assert.equal(rowCodec(variantB.fields).idOf(`/x/row/g/${last}`), BigInt(last));
  });
});

describe('the meta on which all replicas must agree', () => {
  const stored = (value: string) => ({ key: 'meta', value, modRevision: 1, version: 1 });
  const replica = { variant: 'a', schema: variantA.fields, maxRows: 1, isMaxRowsGiven: false };

  it('is accepted by compatible replicas', () => {
    const text = newMeta(replica);
    const { id } = JSON.parse(text);
    assert.deepEqual(metaOf(stored(text), '/x/', { ...replica, maxRows: 7 }), {
      id,
      maxRows: 1,
      text,
    });
  });

  it('is raised to the format of this version, with all its members', () => {
    const { fields } = JSON.parse(newMeta(replica));
    const previous = '{"format":2,"variant":"a","limits":{"maxRows":5},"id":"x","more":7}';
    const { text } = metaOf(stored(previous), '/x/', replica);
    assert.deepEqual(JSON.parse(text), { ...JSON.parse(previous), format: 3, fields });
  });

  it('has another fingerprint if the fields store other values, and only then', () => {
    const text = newMeta(replica);
    const { title, ...others } = variantA.fields;
    const accepts = (fields: ListSchema) =>
      metaOf(stored(text), '/x/', { ...replica, schema: fields });
    accepts({ ...others, title: { ...title, index: 'ordered' } });
    const different: readonly object[] = [
      others,
      { ...variantA.fields, more: title },
      ...[{ kind: 'integer' }, { nullable: true }, { maxLength: 7 }, { default: '-' }].map(
        (change) => ({ ...others, title: { ...title, ...change } }),
      ),
    ];
    for (const fields of different) {
      const refused = () => accepts({ id: variantA.fields.id, ...fields });
      assert.throws(refused, { message: 'ETCD_PREFIX /x/ has items with other fields' });
    }
  });
});
