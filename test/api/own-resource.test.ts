import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock, sleep } from '../../src/lib/clock.ts';
import { readSeed } from '../../src/service/items/seed.ts';
import { type Definition, rulesOf } from '../../src/service/resource/definition.ts';
import { AUTHORIZED, TOKEN } from '../support/admin.ts';
import { refusedIn, violationsIn } from '../support/assertions.ts';
import { checkedClientFor } from '../support/checked-client.ts';
import { EventClient } from '../support/events.ts';
import { NOTE, NOTE_SCHEMA, resourceWith } from '../support/notes.ts';
import type { Answer, ProblemBody } from '../support/requests.ts';
import { startApp } from '../support/service.ts';

const LIST = '/api/notes';
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Json = Record<string, unknown>;

interface Schema {
  readonly type?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Starts a service of a resource. Its client holds each response against the API document. */
async function start(
  test: TestContext,
  definition: Definition = NOTE,
  seed: unknown = [],
  env: Readonly<Record<string, string>> = {},
) {
  const { baseUrl } = await startApp(test, definition, {
    env: { ADMIN_TOKEN: TOKEN, ...env },
    seed: readSeed(seed, rulesOf(definition, env.STRICT !== 'off'), 'the seed is invalid'),
  });
  const client = checkedClientFor(test, baseUrl);
  const list = definition.api.collection;
  const ok = async (answer: Promise<Answer>) => {
    const { status, text } = await answer;
    assert(status < 300, text);
    return JSON.parse(text);
  };
  return {
    client,
    baseUrl,
    list,
    post: (item: unknown) => client.post(list, item),
    create: (item: unknown): Promise<Json & { id: number }> => ok(client.post(list, item)),
    patch: (id: number, change: unknown) => client.patch(`${list}/${id}`, change),
    put: (id: number, change: unknown) => client.put(`${list}/${id}`, change),
    find: async (query: string): Promise<readonly number[]> => {
      const found: { id: number }[] = await ok(client.get(`${list}?${query}`));
      return found.map(({ id }) => id);
    },
    raw: (method: string, path: string, body: string) =>
      client.request(method, path, { headers: { 'content-type': 'application/json' }, body }),
    admin: (method: string, path: string, value?: unknown) =>
      client.request(method, path, {
        headers: { ...AUTHORIZED, 'content-type': 'application/json' },
        ...(value !== undefined && { body: JSON.stringify(value) }),
      }),
    ok,
  };
}

const SMALL = { subject: 'a', level: 3 };

describe('an item of an own resource', () => {
  it('has the members in their order, defaults, and no others', async (test) => {
    const { post } = await start(test);
    const answer = await post(SMALL);
    assert.equal(answer.headers.location, `${LIST}/1`);
    const { createdAt, ...item } = answer.json<Json>();
    assert.match(String(createdAt), UTC);
    assert.deepEqual(Object.entries(item), [
      ['id', 1],
      ['subject', 'a'],
      ['status', 'draft'],
      ['level', 3],
      ['pinned', false],
      ['tags', []],
      ['extra', null],
      ['source', 'api'],
    ]);
  });

  it('has what was sent, in one form for each kind', async (test) => {
    const { raw, client } = await start(test);
    const sent = {
      subject: 'é😀',
      body: '',
      code: 'AB-1',
      status: 'published',
      mood: null,
      level: 5,
      views: 'V',
      rating: 'R',
      pinned: true,
      dueAt: '2026-12-01T09:00+01:00',
      tags: ['x', 'y'],
      place: { zip: null, city: 'Ghent', since: '2026-12-01T09:00:00.5-00:30', floors: [1, 'F'] },
      extra: { a: [{ b: 'B' }], '': 1.5 },
    };
    const text = JSON.stringify(sent)
      .replace('"V"', '-9223372036854775808')
      .replace('"R"', '4.50')
      .replace('"F"', '9223372036854775807')
      .replace('"B"', '123456789012345678901234567890');
    const answer = await raw('POST', LIST, text);
    assert.equal(answer.status, 201, answer.text);
    const expected =
      '{"id":1,"subject":"é😀","body":"","code":"AB-1","status":"published","mood":null,"level":5,' +
      '"views":-9223372036854775808,"rating":4.5,"pinned":true,"dueAt":"2026-12-01T08:00:00.000Z",' +
      '"tags":["x","y"],"place":{"city":"Ghent","zip":null,"since":"2026-12-01T09:30:00.500Z",' +
      '"floors":[1,9223372036854775807],"open":true},' +
      '"extra":{"a":[{"b":123456789012345678901234567890}],"":1.5},"createdAt":';
    assert(answer.text.startsWith(expected), answer.text);
    assert.equal((await client.get(`${LIST}/1`)).text, answer.text);
  });

  it('has the nearest double of a number, in its shortest form', async (test) => {
    const { raw } = await start(test, resourceWith({ n: { type: 'number' } }));
    for (const [sent, stored] of [
      ['0.1', '0.1'],
      ['-0', '0'],
      ['-0.0', '0'],
      ['1e2', '100'],
      ['2.9999999999999999', '3'],
      ['1e-400', '0'],
      ['9007199254740993', '9007199254740992'],
      ['4503599627370497.3', '4503599627370497'],
      ['0.1000000000000000055511151231257827', '0.1'],
      ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ] as const) {
      const answer = await raw('POST', '/api/things', `{"n":${sent}}`);
      assert.match(answer.text, new RegExp(`"n":${stored.replace('+', '\\+')}}$`), sent);
    }
    for (const sent of ['1e400', '-1e400', '"1"', 'true']) {
      const answer = await raw('POST', '/api/things', `{"n":${sent}}`);
      assert.deepEqual(violationsIn(answer), ['#/n type'], sent);
    }
  });
});

it('the examples of a seed in the document of an own resource are seeds', async (test) => {
  const { client, admin } = await start(test);
  const { document } = await client.document();
  const content = document.paths['/admin/reset']?.post?.requestBody?.content;
  const examples = Object.values(content?.['application/json']?.examples ?? {});
  assert.deepEqual(
    examples.map(({ value }) => value),
    [[], [{ id: 7, subject: 'Call the plumber', level: 2 }]],
  );
  for (const { value } of examples) {
    assert.equal((await admin('POST', '/admin/reset', value)).status, 204);
  }
});

describe('the rules of an own resource', () => {
  it('are all reported at once, in the order of the members, in depth', async (test) => {
    const { post } = await start(test);
    for (const [item, ...expected] of [
      [{}, '#/subject required', '#/level required'],
      [
        { ...SMALL, subject: '', body: 1, code: 'x', status: 'gone', mood: 'ok', level: 6 },
        ...['#/subject min-length', '#/body type', '#/code pattern', '#/status value'],
        ...['#/mood value', '#/level maximum'],
      ],
      [
        { ...SMALL, views: 1.5, rating: -1, pinned: 'no', dueAt: '2026-12-01', tags: ['a', 7] },
        ...['#/views type', '#/rating minimum', '#/pinned type', '#/dueAt type', '#/tags/1 type'],
      ],
      [{ ...SMALL, dueAt: '2026-12-01T10:00' }, '#/dueAt type'],
      [
        { ...SMALL, body: 'x'.repeat(1_001), subject: '😀'.repeat(21) },
        '#/subject max-length',
        '#/body max-length',
      ],
      [{ ...SMALL, tags: ['a', 'b', 'c', 'd'] }, '#/tags max-items'],
      [{ ...SMALL, tags: {}, extra: [] }, '#/tags type', '#/extra type'],
      [
        { ...SMALL, place: { zip: '1', ctiy: 'x', floors: [], since: 'x' }, bodi: 1 },
        ...['#/place/zip type', '#/place/since type', '#/place/floors min-items'],
        ...['#/place/ctiy unknown', '#/bodi unknown'],
      ],
      [
        { ...SMALL, body: null, tags: null, status: null },
        '#/body not-null',
        '#/status not-null',
        '#/tags not-null',
      ],
    ] as const) {
      assert.deepEqual(violationsIn(await post(item)), expected, JSON.stringify(item));
    }
    const { errors } = (await post({ ...SMALL, status: 'x', code: 'x' })).json<{
      errors: { detail: string }[];
    }>();
    assert.deepEqual(
      errors.map(({ detail }) => detail),
      ['must match the pattern ^[A-Z]{2}-\\d+$', 'must be "draft" or "published"'],
    );
  });

  it('are at the place of a number, a string or a name that is no JSON, in depth', async (test) => {
    const { raw } = await start(test);
    const answer = await raw(
      'POST',
      LIST,
      String.raw`{"subject":"a","level":3,"extra":{"a":[1,1e400,{"b":"\ud800","\udc00":1}]}}`,
    );
    assert.deepEqual(violationsIn(answer), [
      '#/extra/a/1 type',
      '#/extra/a/2/b well-formed',
      '#/extra/a/2/%EF%BF%BD well-formed',
    ]);
    // Once, although the type of the member says so, too.
    const typed = await raw(
      'POST',
      LIST,
      String.raw`{"subject":"a","level":3,"place":{"city":"at \ud800"}}`,
    );
    assert.deepEqual(violationsIn(typed), ['#/place/city well-formed']);
  });

  it('are hints for other names of completed', async (test) => {
    const definition = resourceWith({ text: { type: 'string' }, completed: { type: 'boolean' } });
    const { post, client, list } = await start(test, definition);
    const [violation] = (await post({ isDone: true })).json<ProblemBody>().errors ?? [];
    assert.match(String(violation?.detail), /did you mean completed\?/);
    assert.match((await client.get(`${list}?done=true`)).text, /did you mean completed\?/);
  });

  it('are those of a read-only array or object that is the other', async (test) => {
    const definition = resourceWith({
      a: { type: 'string' },
      list: { type: 'array', readOnly: true, default: [1] },
      map: { type: 'object', readOnly: true, default: { b: 1 } },
    });
    const { create, patch, put } = await start(test, definition);
    const { id } = await create({ a: 'x' });
    for (const update of [patch, put]) {
      assert.equal((await update(id, { a: 'y', list: [], map: {} })).status, 200);
      assert.deepEqual(violationsIn(await update(id, { a: 'y', list: {}, map: [] })), [
        '#/list type',
        '#/map type',
      ]);
    }
  });

  it('limit arrays and objects to 8 levels and 4 KiB', async (test) => {
    const { post, create, raw } = await start(test);
    const nested = (levels: number): unknown => (levels === 1 ? {} : { a: nested(levels - 1) });
    await create({ ...SMALL, extra: nested(8) });
    // A number is no level, also if a double has no room for its digits.
    const digits = JSON.stringify(nested(8)).replace('{}', '{"n":2.9999999999999999}');
    const { status } = await raw('POST', LIST, `{"subject":"a","level":3,"extra":${digits}}`);
    assert.equal(status, 201);
    assert.deepEqual(violationsIn(await post({ ...SMALL, extra: nested(9) })), ['#/extra value']);
    const frame = JSON.stringify({ a: '' }).length;
    await create({ ...SMALL, extra: { a: 'é'.repeat((4_096 - frame) / 2) } });
    const long = { ...SMALL, extra: { a: `x${'é'.repeat((4_096 - frame) / 2)}` } };
    assert.deepEqual(violationsIn(await post(long)), ['#/extra max-length']);
  });

  it('make no text of defaults that is far too long, and check none that was sent too long', async (test) => {
    const line = {
      type: 'object',
      properties: { terms: { type: 'string', maxLength: 4_000, default: 'x'.repeat(4_000) } },
    };
    const { post, create } = await start(
      test,
      resourceWith({ lines: { type: 'array', items: line } }),
    );
    const tooLong = async (lines: unknown) => {
      const { errors } = (await post({ lines })).json<ProblemBody>();
      return errors?.map(({ pointer, detail }) => `${pointer} ${detail}`);
    };
    const detail = '#/lines must be at most 4096 bytes long as JSON';
    await create({ lines: [{}] });
    assert.deepEqual(await tooLong([{}, {}]), [`${detail}, not 8027`]);
    assert.deepEqual(await tooLong(Array(1_000).fill({})), [detail]);
    assert.deepEqual(await tooLong(Array(20_000).fill({})), [detail]);
    assert.deepEqual(await tooLong(Array(5_000).fill('no object')), [detail]);
    assert.match(
      String(await tooLong('x'.repeat(5_000))),
      /^#\/lines must be an array, not "x+…"$/,
    );
  });

  it('get a list of violations that is short, however long each would be', async (test) => {
    const allowed = Array.from({ length: 5_000 }, (_, i) => `the value with the number ${i}`);
    const { client, list } = await start(test, resourceWith({ state: { enum: allowed } }));
    const items = Array(100).fill({ state: 'x' });
    const answer = await client.post(`${list}/batch`, items);
    const { detail, errors = [] } = answer.json<ProblemBody>();
    assert.match(String(errors[0]?.detail), /^must be "the value with the number 0" or .*…$/);
    assert.deepEqual([errors[0]?.detail.length, errors.length], [4_097, 64]);
    assert.equal(detail, 'The content violates at least 64 rules');
    assert.ok(answer.text.length < 400 * 1024, `${answer.text.length}`);
  });

  it('ignore unknown names with STRICT=off, in depth, too', async (test) => {
    const { create, put } = await start(test, NOTE, [], { STRICT: 'off' });
    const item = { ...SMALL, bodi: 1, place: { city: 'Ghent', ctiy: 1 }, createdAt: 'x' };
    const { id, place, ...others } = await create(item);
    assert.deepEqual(place, { city: 'Ghent', open: true });
    assert(!('bodi' in others));
    assert.deepEqual(violationsIn(await put(id, { bodi: 1 })), ['#/bodi unknown']);
  });

  it('allow read-only members the value that a new item has', async (test) => {
    const { post, create, put, patch, client } = await start(test);
    await create({
      ...SMALL,
      id: 0,
      source: 'api',
      owner: null,
      createdAt: '0001-01-01T00:00:00Z',
    });
    for (const [member, expected] of [
      [{ id: 1 }, '#/id read-only'],
      [{ source: 'other' }, '#/source read-only'],
      [{ source: 7 }, '#/source read-only'],
      [{ owner: 'Ann' }, '#/owner read-only'],
      [{ createdAt: '2026-11-20T09:30:00Z' }, '#/createdAt read-only'],
    ] as const) {
      assert.deepEqual(violationsIn(await post({ ...SMALL, ...member })), [expected]);
    }
    const item = await create(SMALL);
    for (const change of [put, patch]) {
      const echo = { ...item, source: 'x', owner: 'y', createdAt: '1999-12-31T23:59:59Z' };
      assert.deepEqual((await change(item.id, echo)).json(), item);
      assert.deepEqual(
        violationsIn(await change(item.id, { source: 1, owner: 2, createdAt: 'x', id: 7 })),
        [...['#/id read-only', '#/createdAt type', '#/source type', '#/owner type']],
      );
    }
    const all = await client.patch(`${LIST}?id.gte=1`, { source: 'api', owner: null, level: 1 });
    assert.deepEqual(violationsIn(all), ['#/source read-only']);
  });
});

it('a read-only member whose default is null is there, and one without a default is not', async (test) => {
  const text = { type: ['string', 'null'], readOnly: true };
  const definition = resourceWith({
    a: { type: 'string' },
    b: { ...text, default: null },
    c: text,
  });
  const { create } = await start(test, definition, [{ a: 'seed' }]);
  assert.deepEqual(await create({ a: 'x' }), { id: 2, a: 'x', b: null });
  assert.deepEqual(await create({ a: 'x', b: null, c: null }), { id: 3, a: 'x', b: null });
});

describe('a change of an own resource', () => {
  it('by null stores it where the type has it, removes what is not required, or is a violation', async (test) => {
    const { create, put, patch } = await start(test);
    for (const change of [put, patch]) {
      const { id } = await create({
        ...SMALL,
        body: 'x',
        mood: 'good',
        rating: 1,
        dueAt: '2026-12-01T09:00Z',
      });
      const nulls = { body: null, mood: null, rating: null, dueAt: null, status: null, tags: null };
      const changed = (await change(id, { ...nulls, extra: null })).json<Json>();
      const { createdAt, ...item } = changed;
      const left = { mood: null, level: 3, pinned: false, dueAt: null, extra: null, source: 'api' };
      assert.deepEqual(item, { id, subject: 'a', ...left });
      const violations = violationsIn(await change(id, { subject: null, level: null }));
      assert.deepEqual(violations, ['#/subject not-null', '#/level not-null']);
      // A null that is stored, and an absent member, are different.
      const other = await create(SMALL);
      assert(!('mood' in other) && !('dueAt' in other));
      const stored = (await change(other.id, { mood: null })).json<Json>();
      assert('mood' in stored && !('dueAt' in stored));
    }
  });

  it('by PUT keeps absent members, and replaces objects and arrays', async (test) => {
    const { create, put } = await start(test);
    const { id, ...item } = await create({
      ...SMALL,
      tags: ['a'],
      place: { city: 'Ghent', zip: 1 },
    });
    const changed = await put(id, { tags: ['b'], place: { city: 'Bruges' } });
    const place = { city: 'Bruges' };
    assert.deepEqual(changed.json(), { id, ...item, tags: ['b'], place });
    assert.deepEqual(violationsIn(await put(id, { place: { zip: 2 } })), ['#/place/city required']);
  });

  it('by PATCH merges objects, whose result is checked', async (test) => {
    const { create, patch, client } = await start(test);
    const { id } = await create({
      ...SMALL,
      place: { city: 'Ghent', floors: [1] },
      extra: { a: { b: 1, c: 2 } },
    });
    const merged = async (change: Json) => (await patch(id, change)).json<Json>();
    const { place } = await merged({ place: { zip: 9, floors: [2, 3] } });
    assert.deepEqual(place, { city: 'Ghent', zip: 9, floors: [2, 3], open: true });
    const { extra } = await merged({ extra: { a: { b: null, d: { e: null, f: 1 } } } });
    assert.deepEqual(extra, { a: { c: 2, d: { f: 1 } } });
    assert.deepEqual(violationsIn(await patch(id, { place: { city: null } })), [
      '#/place/city required',
    ]);
    assert.deepEqual(violationsIn(await patch(id, { place: { zip: 'x' }, level: 0 })), [
      '#/level minimum',
      '#/place/zip type',
    ]);
    assert.deepEqual(violationsIn(await patch(id, { place: 7 })), ['#/place type']);
    assert(!('place' in (await merged({ place: null }))));
    // A default is for what a POST lacks.
    assert.deepEqual((await merged({ place: { city: 'Bruges' } })).place, { city: 'Bruges' });
    const { place: open } = await merged({ place: { open: false } });
    assert.deepEqual(open, { city: 'Bruges', open: false });
    assert.deepEqual((await merged({ place: { open: null } })).place, { city: 'Bruges' });
    assert.equal((await client.patch(`${LIST}/999`, { place: { zip: 1 } })).status, 404);
    assert.deepEqual(violationsIn(await client.patch(`${LIST}/999`, { place: 7, level: 0 })), [
      '#/level minimum',
      '#/place type',
    ]);
  });

  it('of several items merges objects with those of each, by the same rules', async (test) => {
    const { create, client, ok } = await start(test);
    for (const city of ['Ghent', 'Bruges']) await create({ ...SMALL, place: { city, zip: 1 } });
    await create(SMALL);
    const all = () => ok(client.get(LIST)) as Promise<Json[]>;
    const patch = (query: string, change: Json) => client.patch(`${LIST}?${query}`, change);
    const places = async () => (await all()).map(({ place }) => place);

    assert.equal((await patch('place.isNull=false', { place: { zip: 2 } })).text, '{"updated":2}');
    assert.deepEqual(await places(), [
      { city: 'Ghent', zip: 2, open: true },
      { city: 'Bruges', zip: 2, open: true },
      undefined,
    ]);
    const before = await all();
    const refused = await patch('id.gte=1', { level: 4, place: { zip: 3, open: null } });
    assert.deepEqual(violationsIn(refused), ['#/place/city required']);
    assert.match(refused.text, /"The content, merged with the item 3, violates one rule"/);
    assert.deepEqual(await all(), before, 'nothing has changed');

    const set = { place: { city: 'Namur', open: null }, extra: { a: 1 }, dueAt: null, body: null };
    assert.equal((await patch('id.gte=1', set)).text, '{"updated":3}');
    assert.equal((await patch('id=1', { extra: { b: [2] } })).text, '{"updated":1}');
    const [first, , last] = await all();
    assert.deepEqual([first?.place, last?.place], [{ city: 'Namur', zip: 2 }, { city: 'Namur' }]);
    assert.deepEqual([first?.extra, last?.extra], [{ a: 1, b: [2] }, { a: 1 }]);
    assert.equal((await patch('id=1', { place: null })).status, 200);
    assert.equal((await places())[0], undefined);
    // What no item can change is a violation without one.
    const never = { place: { zip: 'x', fax: 1 }, extra: 7 };
    assert.deepEqual(violationsIn(await patch('id=99', never)), [
      '#/place/zip type',
      '#/place/fax unknown',
      '#/extra type',
    ]);
    const noCity = { place: { city: null, floors: [], since: null } };
    assert.deepEqual(violationsIn(await patch('id=99', noCity)), [
      '#/place/city not-null',
      '#/place/floors min-items',
    ]);
  });

  it('has an event and a tag, but not if it changes nothing', async (test) => {
    const { create, patch, baseUrl } = await start(test);
    const events = await EventClient.open(baseUrl, undefined, `${LIST}/events`);
    test.after(() => events.close());
    await events.next();
    const item = await create({ ...SMALL, tags: ['a'] });
    assert.deepEqual(JSON.parse((await events.next()).data), item);
    const same = await patch(item.id, { tags: ['a'], level: 3 });
    const changed = await patch(item.id, { tags: ['a', 'b'] });
    assert.notEqual(same.headers.etag, changed.headers.etag);
    const event = await events.next();
    assert.deepEqual([event.event, event.data], ['put', changed.text]);
  });
});

it('an integer has the range of its kind, whatever its limits say, and a number the nearest double', async (test) => {
  const uint64 = { type: 'integer', minimum: 0, maximum: 2n ** 64n - 1n };
  const below = { type: 'integer', format: 'int32', minimum: -3_000_000_000 };
  const nested = { type: 'object', properties: { n: below } };
  const double = { type: 'number', minimum: 2n ** 53n + 1n };
  const { client, list, raw, admin } = await start(
    test,
    resourceWith({ a: uint64, b: below, nested, double }),
  );
  const fitting = [`{"a":${2n ** 63n - 1n}}`, '{"b":-2147483648}', `{"double":${2n ** 53n + 1n}}`];
  for (const content of fitting) assert.equal((await raw('POST', list, content)).status, 201);
  const tooFar = [
    [`{"a":${2n ** 63n}}`, '#/a maximum'],
    ['{"b":-2147483649}', '#/b minimum'],
    ['{"nested":{"n":-2147483649}}', '#/nested/n minimum'],
  ] as const;
  for (const [content, violation] of tooFar) {
    for (const [method, path] of [
      ['POST', list],
      ['PATCH', `${list}/1`],
      ['PATCH', `${list}?id.gte=1`],
    ] as const) {
      assert.deepEqual(violationsIn(await raw(method, path, content)), [violation], content);
    }
  }
  assert.equal((await admin('POST', '/admin/reset', [{ b: -2_147_483_649 }])).status, 400);
  assert.equal((await client.get(list)).json<unknown[]>().length, fitting.length);
});

it('a read-only object may be sent as it is, with its members in any order', async (test) => {
  const size = { type: 'object', readOnly: true, default: { x: 1, y: [1, 2] } };
  const { post, create } = await start(test, resourceWith({ a: { type: 'string' }, size }));
  const { size: made } = await create({ size: { y: [1, 2], x: 1 } });
  assert.deepEqual(made, { x: 1, y: [1, 2] });
  assert.deepEqual(violationsIn(await post({ size: { x: 1, y: [2, 1] } })), ['#/size read-only']);
});

it('an enum, or a least length above 1,000, can be met', async (test) => {
  const long = 'x'.repeat(1_001);
  const { create } = await start(
    test,
    resourceWith({ a: { enum: [long] }, b: { type: 'string', minLength: 1_001 } }),
  );
  assert.equal((await create({ a: long, b: long })).a, long);
});

describe('the list of an own resource', () => {
  const SEED = [
    { ...SMALL, id: 1, rating: 4.5, mood: 'good', dueAt: '2026-12-01T23:30:00Z', body: 'Straße' },
    { ...SMALL, id: 2, rating: 0.1, status: 'published', dueAt: '2026-12-02T00:00:00+01:00' },
    { ...SMALL, id: 3, subject: 'draft', mood: null, place: { city: 'Ghent' }, dueAt: null },
    { ...SMALL, id: 4, rating: 4, tags: ['x'], dueAt: '2026-12-02T12:00:00Z', code: 'AB-1' },
  ];

  it('has filters by kind; an absent member is null', async (test) => {
    const { find } = await start(test, NOTE, SEED);
    for (const [query, ...ids] of [
      ['rating.gte=4', 1, 4],
      ['rating=0.1', 2],
      ['rating=1e-1', 2],
      ['rating.in=4,4.5', 1, 4],
      ['rating.ne=4', 1, 2],
      ['rating.isNull=true', 3],
      ['status=published', 2],
      ['status.in=draft&status.in=none', 1, 3, 4],
      ['mood.isNull=true', 2, 3, 4],
      ['mood.ne=bad', 1],
      ['dueAt.gte=2026-12-02', 4],
      ['dueAt.lt=2026-12-02', 1, 2],
      ['dueAt=2026-12-01T23:00Z', 2],
      ['dueAt=2026-12-02T00:30+01:00', 1],
      ['dueAt=2026-12-02T00:30%2B01:00', 1],
      ['dueAt.isNull=true', 3],
      ['place.isNull=false', 3],
      ['place.isNotNull=true', 3],
      ['tags.isNull=true'],
      ['owner.isNull=false'],
      ['search=STRASSE', 1],
      ['search=draft', 3],
      ['search=AB-', 4],
      ['search=api', 1, 2, 3, 4],
      [
        `where=${encodeURIComponent('{"or":[{"rating":{"gt":4}},{"place":{"isNull":false}}]}')}`,
        1,
        3,
      ],
      [`where=${encodeURIComponent('{"not":{"rating":4.5}}')}`, 2, 4],
      [`where=${encodeURIComponent('{"place":null,"mood":null}')}`, 2, 4],
      [`where=${encodeURIComponent('{"dueAt":{"gte":"2026-12-02"}}')}`, 4],
    ] as const) {
      assert.deepEqual(await find(query), ids, query);
    }
  });

  it('sorts by every kind but arrays and objects, null first', async (test) => {
    const { find } = await start(test, NOTE, SEED);
    assert.deepEqual(await find('sort=rating'), [3, 2, 4, 1]);
    assert.deepEqual(await find('sort=-dueAt'), [4, 1, 2, 3]);
    assert.deepEqual(await find('sort=-status,mood'), [2, 3, 4, 1]);
    assert.deepEqual(await find('sort=-mood,-id&limit=2'), [1, 4]);
  });

  it('refuses other parameters, and names those that there are', async (test) => {
    const { client } = await start(test, NOTE, SEED);
    for (const [query, ...refused] of [
      ['sort=tags', 'sort value'],
      ['tags=x&tags.contains=x', 'tags operator', 'tags.contains operator'],
      ['place.city=Ghent', 'place.city operator'],
      ['rating=x&rating=1e400&rating=', 'rating value', 'rating value', 'rating value'],
      ['rating=1&rating=1.0&rating=2', 'rating conflict'],
      ['dueAt=2026-12-01&dueAt.gt=2026-12-01T10:00', 'dueAt value', 'dueAt.gt value'],
      [`where=${encodeURIComponent('{"tags":[]}')}`, 'where value'],
      [`where=${encodeURIComponent('{"place":{"city":"x"}}')}`, 'where value'],
      ['page=2&statu=x', 'page unknown', 'statu unknown'],
      ['dueAt_gte=x&due_at=x', 'dueAt_gte unknown', 'due_at unknown'],
    ] as const) {
      assert.deepEqual(refusedIn(await client.get(`${LIST}?${query}`)), refused, query);
    }
  });

  it('has no search without a string', async (test) => {
    const definition = resourceWith({ n: { type: 'integer' }, e: { enum: ['a'] } });
    const { client, list } = await start(test, definition);
    const answer = await client.get(`${list}?search=x&q=x`);
    assert.deepEqual(refusedIn(answer), ['search unknown', 'q unknown']);
    const text = (await client.get('/openapi.json')).text;
    assert.doesNotMatch(text, /"name":"search"/);
  });
});

describe('an own resource', () => {
  it('has its names in paths, errors, operations and schemas', async (test) => {
    const { client, post } = await start(test);
    await post(SMALL);
    assert.match((await client.get(`${LIST}/7`)).text, /"detail":"Note with id 7 was not found"/);
    assert.match((await client.get('/notes')).text, /did you mean \/api\/notes\?/);
    assert.match((await client.get('/x')).text, /the items are at \/api\/notes"/);
    const document = (await client.get('/openapi.json')).json<{
      info: { title: string };
      paths: Record<string, Record<string, { operationId: string }>>;
      components: { schemas: Record<string, Schema> };
    }>();
    assert.equal(document.info.title, 'Note service');
    const ids = Object.entries(document.paths).flatMap(([path, operations]) =>
      path.startsWith(LIST) ? Object.values(operations).map(({ operationId }) => operationId) : [],
    );
    assert.deepEqual(ids.toSorted(), [
      ...['createNote', 'createNotes', 'deleteNote', 'deleteNotes', 'getNote', 'listNotes'],
      ...['patchNote', 'patchNotes', 'updateNote', 'watchNotes'],
    ]);
    for (const name of ['Note', 'CreateNote', 'CreateNotes', 'UpdateNote', 'PatchNote']) {
      assert(name in document.components.schemas, name);
    }
    // Generated clients send null for what may be null, and it would remove a required member.
    const { place } = document.components.schemas.PatchNote?.properties ?? {};
    assert.equal(place?.required, undefined);
    assert.equal(place?.properties?.city?.type, 'string');
    assert.deepEqual(place?.properties?.since?.type, ['string', 'null']);
    assert.doesNotMatch(JSON.stringify(document.paths), /todos/i);
    const { metrics, index } = {
      metrics: await (await client.get('/metrics')).text,
      index: (await client.get('/', { accept: 'application/json' })).text,
    };
    assert.match(metrics, /todo_service_info\{version="[^"]+",variant="Note"\} 1/);
    assert.match(index, /"href":"api\/notes","title":"List items"/);
  });

  it('has names of components that OpenAPI allows, whatever its properties are called', async (test) => {
    const { client } = await start(
      test,
      resourceWith({ $a: { type: 'string' }, _a: { type: 'string' } }),
    );
    const { components } = (await client.get('/openapi.json')).json<{
      components: { parameters: Record<string, { name: string }> };
    }>();
    const names = Object.entries(components.parameters).map(([key, { name }]) => {
      assert.match(key, /^[\w.-]+$/);
      return name;
    });
    assert(names.includes('$a.contains') && names.includes('_a.contains'));
  });

  it('has an example of an item in its document, if there is one', async (test) => {
    const exampleOf = async (a: Json, more: Json = {}) => {
      const { client } = await start(test, resourceWith({ a, ...more }, { required: ['a'] }));
      const { components } = (await client.get('/openapi.json')).json<{
        components: { schemas: { Thing: { examples?: unknown } } };
      }>();
      return components.schemas.Thing.examples;
    };
    const id = { type: 'integer', format: 'int32', minimum: 5 };
    const zip = { type: 'string', pattern: '^[0-9]{5}$' };
    const place = { type: 'object', required: ['zip'], properties: { zip } };
    assert.deepEqual(await exampleOf({ type: 'object' }), [{ id: 1, a: {} }]);
    assert.deepEqual(await exampleOf({ type: 'boolean' }, { id }), [{ id: 5, a: true }]);
    for (const a of [
      zip,
      place,
      { type: 'integer', maximum: -5 },
      { type: 'array', minItems: 2 },
    ]) {
      assert.equal(await exampleOf(a), undefined, JSON.stringify(a));
    }
  });

  it('has all digits of integers in its document and on its page', async (test) => {
    const [i, r, q] = [2n ** 53n + 1n, 2n ** 53n + 3n, 2n ** 53n + 5n];
    const properties = {
      i: { type: 'integer', minimum: i },
      r: { type: 'integer', readOnly: true, default: r },
      o: { type: 'object' },
    };
    const examples = [{ i, o: { q } }];
    const { client } = await start(test, resourceWith(properties, { required: ['i'], examples }));
    const document = (await client.get('/openapi.json')).text;
    for (const json of [`{"i":${i},"o":{"q":${q}}}`, `"r":${r},"o":{"q":${q}}`, `"i":${i}`]) {
      assert(document.includes(json), json);
    }
    const html = (await client.request('GET', '/', { headers: { accept: 'text/html' } })).text;
    assert(html.includes(`{"i":${i},"o":{"q":${q}}}`));
  });

  it('grows its document by at most 6.6 kB for a further text, which has 17 filters', async (test) => {
    const documentWith = async (properties: Json) => {
      const { client } = await start(test, resourceWith(properties));
      return (await client.get('/openapi.json')).text.length;
    };
    const text = { type: 'string' };
    const one = await documentWith({ first: text });
    const growth = (await documentWith({ first: text, other: text })) - one;
    assert.ok(growth < 6_600, `${growth} bytes`);
  });

  it('has items longer than a content may be', async (test) => {
    const properties = Object.fromEntries(
      Array.from({ length: 4 }, (_, n) => [`part${n}`, { type: 'string', maxLength: 60_000 }]),
    );
    const { client, baseUrl, list, create, patch, admin } = await start(
      test,
      resourceWith(properties),
    );
    const parts = Object.keys(properties);
    const { id } = await create({ [parts[0] ?? '']: 'é'.repeat(30_000) });
    const texts = parts.slice(1).map((name) => ({ [name]: name.repeat(8_000) }));
    for (const text of texts) assert.equal((await patch(id, text)).status, 200);
    const all = Array.from({ length: 6 }, () => client.get(`${list}/${id}`));
    const [first, ...others] = await Promise.all(all);
    assert.equal(first?.status, 200);
    const expected = Object.assign({ id, part0: 'é'.repeat(30_000) }, ...texts);
    assert.deepEqual(JSON.parse(first.text), expected);
    for (const { status, text } of others) assert.deepEqual([status, text], [200, first.text]);
    const { etag, 'content-length': length } = first.headers;
    assert.equal(length, String(Buffer.byteLength(first.text)));
    const headers = { 'if-none-match': String(etag) };
    assert.equal((await client.request('GET', `${list}/${id}`, { headers })).status, 304);
    const head = await fetch(`${baseUrl}${list}/${id}`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, length]);
    const faults = { faults: [{ method: 'GET', delayMs: 1 }] };
    assert.equal((await admin('PUT', '/admin/faults', faults)).status, 200);
    assert.equal((await client.get(`${list}/${id}`)).text, first.text);
  });

  it('can have any path', async (test) => {
    for (const collection of ['/todos', '/v1/people', '/a.b~c/x-y']) {
      const { client, list, create } = await start(
        test,
        resourceWith({ text: { type: 'string' } }, { 'x-collection': collection }),
      );
      assert.equal(list, collection);
      const { id } = await create({ text: 'x' });
      assert.equal((await client.get(`${collection}/${id}`)).status, 200);
      assert.equal((await client.delete(`${collection}?id=${id}`)).text, '{"deleted":1}');
      const last = collection.slice(collection.lastIndexOf('/'));
      assert.match(
        (await client.get(`/api${last}`)).text,
        new RegExp(`did you mean ${collection}\\?`),
      );
    }
  });

  it('begins with a seed, also by its name, which may have read-only members', async (test) => {
    const note = {
      ...SMALL,
      id: 7,
      createdAt: '2026-11-20T09:30+01:00',
      source: 'seed',
      owner: 'Ann',
    };
    const { client, admin } = await start(test, NOTE, { people: [1], notes: [note, SMALL] });
    const [first, second] = (await client.get(LIST)).json<Json[]>();
    assert.deepEqual(
      [first?.id, first?.createdAt, first?.source, first?.owner, second?.id, second?.source],
      [7, '2026-11-20T08:30:00.000Z', 'seed', 'Ann', 8, 'api'],
    );
    const wrong = [{ ...SMALL, tags: [1], source: null, body: null }];
    assert.deepEqual(violationsIn(await admin('POST', '/admin/reset', wrong)), [
      ...['#/0/body not-null', '#/0/tags/0 type', '#/0/source not-null'],
    ]);
    assert.equal((await admin('POST', '/admin/reset', [SMALL])).status, 204);
    assert.equal((await client.get(LIST)).json<Json[]>().length, 1);
  });

  it('has faults by route, a journal, and lists with names', async (test) => {
    const { client, admin, baseUrl } = await start(test);
    const fault = { route: `${LIST}/{id}`, status: 503 };
    assert.equal((await admin('PUT', '/admin/faults', { faults: [fault] })).status, 200);
    assert.equal((await client.get(`${LIST}/1`)).status, 503);
    assert.equal((await client.get(LIST)).status, 200);
    const journal = await admin('GET', `/admin/requests?route=${LIST}/{id}`);
    const { requests } = journal.json<{ requests: { target: string }[] }>();
    assert.equal(requests[0]?.target, `${LIST}/1`);
    assert.equal((await admin('PUT', '/admin/lists/anna', [SMALL])).status, 201);
    const ofAnna = await (await fetch(`${baseUrl}/lists/anna${LIST}`)).json();
    assert.equal(Object(ofAnna).length, 1);
    assert.equal((await client.get(LIST)).json<Json[]>().length, 0);
  });

  it('has several items at once, with the place of each violation', async (test) => {
    const { client } = await start(test);
    const batch = (items: readonly object[]) => client.post(`${LIST}/batch`, items);
    assert.equal((await batch([SMALL, { ...SMALL, tags: ['a'] }])).status, 201);
    const wrong = await batch([SMALL, { ...SMALL, tags: ['a', 1] }, {}]);
    assert.deepEqual(violationsIn(wrong), [
      ...['#/1/tags/1 type', '#/2/subject required', '#/2/level required'],
    ]);
  });

  it('may have an id with a range', async (test) => {
    const id = { type: 'integer', format: 'int32', minimum: 5, maximum: 6 };
    const { create, post, client, list } = await start(
      test,
      resourceWith({ n: { type: 'integer' }, id }),
    );
    const first = await create({});
    assert.deepEqual(Object.entries(await create({ n: 1 })), [
      ['n', 1],
      ['id', 6],
    ]);
    assert.equal(first.id, 5);
    assert.equal((await post({})).status, 507);
    assert.equal((await client.get(`${list}/2147483648`)).status, 400);
    const { errors } = (await client.delete(list)).json<{ errors?: unknown }>();
    assert.equal(errors, undefined);
    assert.match((await client.delete(list)).text, /id\.gte=5 is every item/);
  });

  it('has a page with its words and controls', async (test) => {
    const { client } = await start(test);
    const { text } = await client.get('/', { accept: 'text/html' });
    const [, json = ''] = /id="data">(.*?)<\/script>/.exec(text) ?? [];
    const { words, roles, fields, samples, collection, title } = JSON.parse(json);
    assert.deepEqual([title, collection], ['Note service', LIST]);
    assert.deepEqual(words, {
      ...{ heading: 'Notes', one: 'note', many: 'notes', none: 'There are no notes yet.' },
    });
    assert.deepEqual(roles, {
      ...{ id: 'id', title: 'subject', details: ['body', 'code', 'source', 'owner'] },
      choice: 'status',
    });
    const kinds = fields.map(({ name, kind }: { name: string; kind: string }) => `${name} ${kind}`);
    for (const each of ['views integer', 'rating number', 'dueAt instant', 'place json']) {
      assert(kinds.includes(each), each);
    }
    const [first] = NOTE_SCHEMA.examples;
    const { createdAt, ...sample } = first;
    assert.deepEqual(samples[0], sample);
  });
});

describe('a member with x-updated', () => {
  const EDITED = resourceWith({
    a: { type: 'string' },
    state: { const: 'open', default: 'open' },
    day: { type: 'string', format: 'date-time-local' },
    updatedAt: { type: 'string', format: 'date-time', readOnly: true, 'x-updated': true },
  });

  it('has the time of the last change, however the item was changed', async (test) => {
    const { create, put, patch, client, list, ok } = await start(test, EDITED);
    const items = [await create({ a: 'x' }), await create({ a: 'y' })];
    const timeOf = async (id: number): Promise<string> =>
      (await ok(client.get(`${list}/${id}`))).updatedAt;
    const [first, second] = items.map(({ updatedAt }) => String(updatedAt));
    assert.match(first ?? '', UTC);

    await sleep(2);
    for (const change of [
      () => put(1, { a: 'x' }),
      () => patch(1, { a: 'x' }),
      () => client.patch(`${list}?a=x`, { a: 'x' }),
    ]) {
      await ok(change());
      assert.equal(await timeOf(1), first, 'nothing has changed');
    }
    let before = first ?? '';
    for (const change of [
      () => put(1, { a: 'b' }),
      () => patch(1, { a: 'c' }),
      () => client.patch(`${list}?a.in=c`, { a: 'd' }),
    ]) {
      await sleep(2);
      await ok(change());
      const after = await timeOf(1);
      assert(before < after, `${before} < ${after}`);
      before = after;
    }
    assert.equal(await timeOf(2), second, 'the other item');
  });

  it('has the same time as the other times of a write', async (test) => {
    let time = Date.UTC(2026, 10, 30);
    test.mock.method(clock, 'time', () => time++);
    const time_ = { type: 'string', format: 'date-time', readOnly: true };
    const definition = resourceWith({
      a: { type: 'string' },
      createdAt: time_,
      updatedAt: { ...time_, 'x-updated': true },
      editedAt: { ...time_, 'x-updated': true },
    });
    const { create, patch, client, list, ok } = await start(test, definition);
    const { createdAt, updatedAt, editedAt } = await create({ a: 'x' });
    assert.deepEqual([updatedAt, editedAt], [createdAt, createdAt]);
    await ok(patch(1, { a: 'y' }));
    await ok(client.patch(`${list}?a=y`, { a: 'z' }));
    const changed = await ok(client.get(`${list}/1`));
    assert.equal(changed.updatedAt, changed.editedAt);
    assert(changed.updatedAt > String(createdAt));
  });

  it('has rules of its own beside a const and a local date-time', async (test) => {
    const { create, post } = await start(test, EDITED);
    const { state, day } = await create({ day: '2026-11-30T10:00' });
    assert.deepEqual([state, day], ['open', '2026-11-30T10:00:00.000']);
    assert.deepEqual(violationsIn(await post({ state: 'shut' })), ['#/state value']);
    assert.deepEqual(violationsIn(await post({ day: 'today' })), ['#/day type']);
    assert.deepEqual(violationsIn(await post({ updatedAt: '2026-11-30T10:00Z' })), [
      '#/updatedAt read-only',
    ]);
  });
});
