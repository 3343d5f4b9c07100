import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kind, Value } from '../../../../src/lib/table/schema/column.ts';
import { define } from '../../../../src/service/resource/definition.ts';
import type { CreateOptions, Field } from '../../../../src/service/resource/field.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { assertProblem, violationsIn } from '../../../support/assertions.ts';
import { CheckedClient } from '../../../support/checked-client.ts';
import { LIST } from '../../../support/paths.ts';
import { type RunningService, startService } from '../../../support/service.ts';

interface KindCases {
  readonly default: Value;
  /** Another value, as a JSON text. */
  readonly other: string;
  /** Values of another type, as JSON texts. */
  readonly wrong: readonly string[];
  /** Values of the type that no field of the kind can have. */
  readonly outside: readonly string[];
}

const KINDS: Readonly<Record<Kind, KindCases>> = {
  integer: {
    default: 7,
    other: '-2147483648',
    wrong: ['1.5', '"7"', 'true', '1e400'],
    outside: ['3e9'],
  },
  bigint: {
    default: 2n ** 62n + 1n,
    other: '-9223372036854775808',
    wrong: ['1.5', '"7"', '1e400', '[]'],
    outside: ['9223372036854775808'],
  },
  boolean: { default: true, other: 'false', wrong: ['0', '"true"', '{}'], outside: [] },
  text: { default: 'seven', other: '"élan"', wrong: ['7', 'true'], outside: ['"\\ud800"'] },
  number: { default: 7.5, other: '-1e-7', wrong: ['"7"', 'true', '1e400', '[]'], outside: [] },
  instant: {
    default: '2026-11-20T09:30:00.123Z',
    other: '"1999-12-31T23:59:59.999Z"',
    wrong: ['"2026-02-30T00:00Z"', '"2026-11-20T09:30"', '"2026-11-20"', '7'],
    outside: [],
  },
  json: { default: '{"a":[7]}', other: '{"b":{"c":1}}', wrong: ['7', '"{}"', 'true'], outside: [] },
  timestamp: {
    default: '2026-11-20T09:30:00.123',
    other: '"1999-12-31T23:59:59.999"',
    wrong: ['"2026-02-30"', '"x"', '7', '"2026-11-20T09:30z"'],
    outside: [],
  },
};

const CREATE: readonly (CreateOptions | undefined)[] = [undefined, {}, { required: true }];
const BOTH = [false, true];

/** A field for each kind, nullable or not, by each treatment in a create request. */
function everyField(): Record<string, Field> {
  const combinations = (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
    BOTH.flatMap((nullable) => CREATE.map((create) => ({ kind, nullable, create }))),
  );
  const fields = combinations.map(({ kind, nullable, create }, i): [string, Field] => {
    // Alternate, so that all pairs of options occur.
    const update = i % 2 === 0;
    const hasDefault = i % 4 < 2;
    const json = kind === 'json' && ({ json: { type: 'object' } } as const);
    const given = { kind, nullable, description: 'A field.', update, ...json };
    const field = { ...given, ...(create && { create }) };
    return [`${kind}${i}`, { ...field, ...(hasDefault && { default: KINDS[kind].default }) }];
  });
  return Object.fromEntries(fields);
}

const FIELDS = everyField();
const VARIANT = define({
  ...variantB,
  name: 'every field',
  fields: { ...variantB.fields, ...FIELDS },
});

/** A field is required if it has no other source of a value, even without the option `required`. */
const mustBeSent = ({ create, nullable, default: stored }: Field) =>
  create?.required === true || (stored === undefined && nullable !== true);
const mayBeSent = (field: Field) => field.create !== undefined || mustBeSent(field);

/** A value as JSON, with all its digits. */
function jsonOf(value: Value | null, kind: Kind): string {
  const isText = typeof value === 'bigint' || (kind === 'json' && value !== null);
  return isText ? String(value) : JSON.stringify(value);
}

/** The JSON text of an object, from the texts of its members. */
function objectOf(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members).map(([name, text]) => `"${name}":${text}`)}}`;
}

/** The text of a member in the JSON text of a flat item. */
function memberOf(json: string, name: string): string | undefined {
  const object = '\\{(?:[^{}]|\\{[^{}]*\\})*\\}';
  return new RegExp(`"${name}":(${object}|"(?:[^"\\\\]|\\\\.)*"|[^,}]+)`).exec(json)?.[1];
}

const required = Object.fromEntries(
  Object.entries(FIELDS)
    .filter(([, field]) => mustBeSent(field))
    .map(([name, { kind }]) => [name, KINDS[kind].other]),
);

describe(`an item with ${Object.keys(FIELDS).length} more fields`, () => {
  let service: RunningService;
  let client: CheckedClient;
  before(async () => {
    service = await startService(VARIANT);
    client = new CheckedClient(service.baseUrl);
  });
  after(async () => {
    await client.close();
    await service.stop();
  });
  const send = (method: string, path: string, members: Readonly<Record<string, string>>) =>
    client.request(method, path, {
      headers: { 'content-type': 'application/json' },
      body: objectOf(members),
    });
  const create = async (members: Readonly<Record<string, string>> = {}) => {
    const answer = await send('POST', LIST, { title: '"x"', ...required, ...members });
    assert.equal(answer.status, 201, answer.text);
    return answer;
  };

  it('has its defaults if nothing is sent', async () => {
    const { text } = await create();
    for (const [name, field] of Object.entries(FIELDS)) {
      const expected = mustBeSent(field)
        ? KINDS[field.kind].other
        : jsonOf(field.default ?? null, field.kind);
      assert.equal(memberOf(text, name), expected, name);
    }
  });

  it('reports all required fields that are missing', async () => {
    const answer = await send('POST', LIST, {});
    assert.deepEqual(
      violationsIn(answer),
      ['title', ...Object.keys(required)].map((name) => `#/${name} required`),
    );
  });

  for (const [name, field] of Object.entries(FIELDS)) {
    const { kind, nullable = false, update = false } = field;
    const { other, wrong, outside } = KINDS[kind];
    const options = JSON.stringify({ create: field.create, update, nullable });

    it(`${name}, ${options}${field.default === undefined ? '' : ', a default'}`, async () => {
      const post = (text: string) =>
        send('POST', LIST, { title: '"x"', ...required, [name]: text });
      const untouched = jsonOf(field.default ?? null, kind);
      if (!mayBeSent(field)) {
        assert.deepEqual(violationsIn(await post(other)), [`#/${name} read-only`]);
        assert.equal((await post(untouched)).status, 201);
      }
      const given = await create(mayBeSent(field) ? { [name]: other } : {});
      assert.equal(memberOf(given.text, name), mayBeSent(field) ? other : untouched);
      const path = given.headers.location as string;

      const updated = await send('PUT', path, { [name]: another(other) });
      assert.equal(updated.status, 200, updated.text);
      const changed = update ? another(other) : memberOf(given.text, name);
      assert.equal(memberOf(updated.text, name), changed);
      assert.equal((await client.get(path)).text, updated.text);
      assert.equal((await send('PUT', path, { [name]: 'null' })).text, updated.text);

      const nulled = await post('null');
      if (!mayBeSent(field)) assert.equal(nulled.status, 201);
      else if (nullable) assert.equal(memberOf(nulled.text, name), 'null');
      else assertProblem(nulled, 400, 'validation-failed');

      for (const text of [...wrong, ...outside]) {
        const refused = await post(text);
        assertViolated(refused, name);
        const isReadOnly = !mayBeSent(field) && !update;
        if (isReadOnly) assert.deepEqual(violationsIn(refused), [`#/${name} read-only`]);
        const refusedUpdate = await send('PUT', path, { [name]: text });
        // An update that cannot set it checks its type alone.
        if (update || wrong.includes(text)) assertViolated(refusedUpdate, name);
        else assert.equal(refusedUpdate.status, 200, text);
      }
      for (const direction of kind === 'json' ? [] : ['', '-']) {
        assert.equal((await client.get(`${LIST}?sort=${direction}${name}&limit=1`)).status, 200);
      }
    });
  }

  /** Another value of the same kind. */
  function another(other: string): string {
    if (other === 'false') return 'true';
    if (other.startsWith('"1999')) return other.replace('1999', '2000');
    if (other.startsWith('{')) return '{"c":{}}';
    return other.startsWith('"') ? '"y"' : '1';
  }

  function assertViolated(answer: Awaited<ReturnType<typeof send>>, name: string): void {
    const { errors = [] } = assertProblem(answer, 400, 'validation-failed');
    assert.deepEqual(new Set(errors.map(({ pointer }) => pointer)), new Set([`#/${name}`]));
  }
});
