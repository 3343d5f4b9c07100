import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EventClient } from '../support/events.ts';
import type { Todo } from '../support/requests.ts';
import { assertProblem, describeApi, uniqueWord, violationsIn } from './suite.ts';

describeApi('POST of several items', 'Several items at once', (api) => {
  const path = `${api.collection}/batch`;
  const post = (body: unknown) => api.client.post(path, body);

  it('creates all of them in one commit, in their order', async (test) => {
    const events = await EventClient.open(api.baseUrl, undefined, api.eventsPath);
    test.after(() => events.close());
    await events.next();
    const word = uniqueWord();
    const titles = Array.from({ length: 100 }, (_, i) => `${word} é ${i}`);
    const answer = await post(titles.map((title, i) => ({ title, priority: 1 + (i % 5) })));
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.headers.etag, undefined);
    assert.equal(answer.headers.location, undefined);
    const created = answer.json<Todo[]>();
    assert.deepEqual(
      created.map(({ title }) => title),
      titles,
    );
    const [{ id: first } = { id: 0 }] = created;
    assert.deepEqual(
      created.map(({ id }) => id),
      titles.map((_, i) => first + i),
    );
    assert.deepEqual(await api.list(`?search=${word}`), created);
    let event = await events.next();
    while (!event.data.includes(word)) event = await events.next();
    for (let i = 0; i < 99; i++) {
      assert.equal(event.id, undefined);
      event = await events.next();
    }
    assert.notEqual(event.id, undefined);
  });

  it('creates none if one violates a rule, and reports the place of each violation', async () => {
    const word = uniqueWord();
    const answer = await post([
      { title: word },
      { title: ' ', priority: 9 },
      7,
      { titel: word, description: 'x'.repeat(1001), PRIORITY: 1 },
      [],
    ]);
    assert.deepEqual(violationsIn(answer), [
      ...['#/1/title not-blank', '#/1/priority maximum', '#/2 type'],
      ...['#/3/description max-length', '#/3/titel unknown', '#/3/PRIORITY unknown', '#/4 type'],
    ]);
    const last = await post([...Array(99).fill({ title: word }), { title: word, priority: 0 }]);
    assert.deepEqual(violationsIn(last), ['#/99/priority minimum']);
    assert.deepEqual(await api.list(`?search=${word}`), []);
  });

  it('takes 1 to 100 items, in an array', async () => {
    for (const [count, code] of [
      [0, 'min-items'],
      [101, 'max-items'],
    ] as const) {
      const answer = await post(Array(count).fill({ title: 'x' }));
      assert.deepEqual(violationsIn(answer), [`# ${code}`]);
    }
    for (const body of ['{"title":"x"}', '1', 'null']) {
      assertProblem(await api.send('POST', path, body), 400, 'malformed-body');
    }
  });

  it('is named in the 400 for an array that is sent to the list', async () => {
    for (const body of ['[]', '[{"title":"x"}]', ' \n[1]', '\ufeff[]']) {
      const answer = await api.send('POST', api.collection, body);
      const { detail } = assertProblem(answer, 400, 'malformed-body');
      assert(detail.includes(path), detail);
    }
    assertProblem(await api.send('POST', api.collection, '[1'), 400, 'malformed-body');
  });
});
