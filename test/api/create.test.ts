import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem, describeApi, isOwnService, violationsIn } from './suite.ts';

const LOCAL_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/;

describeApi('creating an item', 'Items', (api) => {
  const post = (body: unknown) => api.client.post(api.collection, body);
  const sendText = (body: string) => api.send('POST', api.collection, body);

  it('returns 201 with the item, its Location and the members in order', async () => {
    const sent = { title: 'buy milk', description: 'two litres', priority: 5 };
    const answer = await post(sent);
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['content-type'], 'application/json');
    const todo = answer.json();
    assert.equal(answer.headers.location, api.itemPath(todo.id));
    const { createdAt } = todo;
    assert.deepEqual({ ...todo, ...sent, completed: false }, todo);
    const isB = api.variant.name === 'b';
    const members = ['id', 'title', 'description', 'completed', 'priority'];
    if (isB) members.push('createdAt');
    assert.equal('createdAt' in todo, isB);
    // Later members may follow (CONTRIBUTING.md: "A worked example").
    assert.deepEqual(Object.keys(todo).slice(0, members.length), members);
    if (isB) assert.match(String(createdAt), LOCAL_DATE_TIME);
  });

  it('defaults to an empty description and priority 3', async () => {
    const { description, priority } = await api.create({ title: 'defaults' });
    assert.equal(description, '');
    assert.equal(priority, 3);
  });

  it('accepts values at the limits', async () => {
    for (const body of [
      { title: 'x' },
      { title: 'x'.repeat(200) },
      { title: '😀'.repeat(200) },
      { title: 'x', description: '' },
      { title: 'x', description: 'd'.repeat(1000) },
      { title: 'x', description: '𝄞'.repeat(1000) },
      { title: 'x', priority: 1 },
      { title: 'x', priority: 5 },
    ]) {
      const { id, ...stored } = await api.create(body);
      assert.deepEqual({ ...stored, ...body }, stored, `${id}`);
    }
  });

  for (const [body, expected] of [
    [{}, ['#/title required']],
    [{ title: null }, ['#/title not-null']],
    [{ title: 3 }, ['#/title type']],
    [{ title: '' }, ['#/title not-blank', '#/title min-length']],
    [{ title: ' \t\n' }, ['#/title not-blank']],
    [{ title: '\u00a0\u1680\u2003\u2028\u3000\u0085' }, ['#/title not-blank']],
    [{ title: ' '.repeat(201) }, ['#/title not-blank', '#/title max-length']],
    [{ title: 'x'.repeat(201) }, ['#/title max-length']],
    [{ title: '😀'.repeat(201) }, ['#/title max-length']],
    [{ title: '\ud800' }, ['#/title well-formed']],
    [{ title: 'x', description: 'd'.repeat(1001) }, ['#/description max-length']],
    [{ title: 'x', description: ['d'] }, ['#/description type']],
    [{ title: 'x', description: '\udc00' }, ['#/description well-formed']],
    [{ title: 'x', priority: 0 }, ['#/priority minimum']],
    [{ title: 'x', priority: 6 }, ['#/priority maximum']],
    [{ title: 'x', priority: 3.5 }, ['#/priority type']],
    [{ title: 'x', priority: '3' }, ['#/priority type']],
    [{ title: 'x', priority: true }, ['#/priority type']],
    [{ title: 'x', priority: null }, ['#/priority not-null']],
    [
      { title: ' ', description: 5, priority: 0 },
      ['#/title not-blank', '#/description type', '#/priority minimum'],
    ],
    [
      { priority: 9, description: {}, title: [] },
      ['#/title type', '#/description type', '#/priority maximum'],
    ],
  ] as const) {
    // ASCII only, because U+2028 and U+0085 end a line of TAP.
    const shown = JSON.stringify(body)
      .slice(0, 60)
      .replace(/[^ -~]/gu, '?');
    it(`reports all violations of ${shown} in order`, async () => {
      assert.deepEqual(violationsIn(await post(body)), expected);
    });
  }

  it('states the allowed values', async () => {
    const blank = api.variant.name === 'b' ? 'Title is required' : 'must not be blank';
    const details = async (body: unknown) =>
      assertProblem(await post(body), 400, 'validation-failed').errors?.map(({ detail }) => detail);
    assert.deepEqual(await details({ title: ' ', priority: 0 }), [blank, 'must be at least 1']);
    const isB = api.variant.name === 'b';
    assert.deepEqual(await details({}), [isB ? blank : 'must be present']);
    assert.deepEqual(await details({ title: null }), [isB ? blank : 'must not be null']);
    assert.deepEqual(await details({ title: 'x'.repeat(201), priority: 6 }), [
      'must be at most 200 characters long',
      'must be at most 5',
    ]);
    const count = async (body: unknown) =>
      assertProblem(await post(body), 400, 'validation-failed').detail;
    assert.equal(await count({ title: ' ' }), 'The content violates one rule');
    assert.equal(await count({ title: ' ', priority: 0 }), 'The content violates 2 rules');
  });

  it('accepts integers written with a fraction or an exponent, by all their digits', async () => {
    for (const [number, status] of [
      ['3.0', 201],
      ['0.3e1', 201],
      ['1e400', 400],
      ['-1e400', 400],
      ['1e-400', 400],
      ['2.9999999999999999', 400],
      ['3.0000000000000001', 400],
    ] as const) {
      const answer = await sendText(`{"title":"x","priority":${number}}`);
      assert.equal(answer.status, status, number);
      if (status === 201) assert.equal(answer.json().priority, 3);
    }
  });

  it('treats __proto__ like any other unknown member', async () => {
    const answer = await sendText('{"title":"x","__proto__":{"priority":9,"description":7}}');
    assert.deepEqual(violationsIn(answer), ['#/__proto__ unknown']);
    const inherited = await sendText('{"__proto__":{"title":"x"}}');
    assert.deepEqual(violationsIn(inherited), ['#/title required', '#/__proto__ unknown']);
  });

  it('uses the last value of a repeated member', async () => {
    assert.equal((await sendText('{"title":1,"title":"last"}')).json().title, 'last');
  });

  it('stores text exactly as it was sent', async () => {
    for (const title of [
      ...['  padded  ', 'a\u0000b', 'e\u0301 and \u00e9', '"\\/\b\f\n\r\t', '\u2028😀', '\ufeff'],
    ]) {
      const { id } = await api.create({ title, description: title });
      const stored = (await api.client.get(api.itemPath(id))).json();
      assert.deepEqual([stored.title, stored.description], [title, title]);
    }
  });

  it('changes neither rows nor ids when it fails', async () => {
    const { id } = await api.create();
    await post({ title: '' });
    await sendText('{');
    const next = await api.create();
    // Other clients of a shared service may have created items meanwhile, but not deleted any.
    if (isOwnService()) assert.equal(next.id, id + 1);
  });
});
