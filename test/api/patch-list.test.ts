import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EventClient } from '../support/events.ts';
import type { Todo } from '../support/requests.ts';
import { assertProblem, describeApi, violationsIn } from './suite.ts';

describeApi('PATCH of the list', 'Several items at once', (api) => {
  const { collection } = api;
  const patch = (query: string, body: unknown, headers: Record<string, string> = {}) =>
    api.send('PATCH', `${collection}?${query}`, JSON.stringify(body), headers);
  const listed = (word: string) => api.list(`?search=${word}`);

  it('changes the items that match all conditions, and counts them', async () => {
    const word = await api.createAll(1, 2, 3);
    const before = await listed(word);
    const answer = await patch(`search=${word}&priority.gte=2`, { completed: true });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.text, '{"updated":2}');
    const isDone = ({ priority }: Todo) => priority >= 2;
    const after = before.map((todo) => ({ ...todo, completed: isDone(todo) }));
    assert.deepEqual(await listed(word), after);
    const where = encodeURIComponent('{"priority":{"lt":2}}');
    const merge = { 'content-type': 'application/merge-patch+json' };
    const two = await patch(`search=${word}&where=${where}`, { title: word }, merge);
    assert.equal(two.text, '{"updated":1}');
    assert.equal((await patch(`search=${word}&priority=9`, {})).text, '{"updated":0}');
  });

  it('is one commit, in which unchanged items keep their tags and have no event', async (test) => {
    const word = await api.createAll(1, 2, 3);
    const [first, second, third] = await listed(word);
    assert(first && second && third);
    await api.client.put(api.itemPath(second.id), { completed: true });
    const tagOf = async ({ id }: Todo) => (await api.client.get(api.itemPath(id))).headers.etag;
    const tags = [await tagOf(first), await tagOf(second)];
    const events = await EventClient.open(api.baseUrl, undefined, api.eventsPath);
    test.after(() => events.close());
    await events.next();
    assert.equal((await patch(`search=${word}`, { completed: true })).text, '{"updated":3}');
    assert.notEqual(await tagOf(first), tags[0]);
    assert.equal(await tagOf(second), tags[1]);
    let event = await events.next();
    // Other tests write, too, but in other commits.
    while (!event.data.includes(word)) event = await events.next();
    const last = await events.next();
    assert.deepEqual(JSON.parse(event.data), { ...first, completed: true });
    assert.deepEqual(JSON.parse(last.data), { ...third, completed: true });
    assert.deepEqual([event.event, event.id, last.event], ['put', undefined, 'put']);
    assert.notEqual(last.id, undefined);
  });

  it('checks the query, the condition, the type, the tags and the content, in this order', async () => {
    const word = await api.createAll(1);
    const target = `search=${word}`;
    const text = { 'content-type': 'text/plain' };
    const other = { 'if-match': '"another"' };
    const bad = { priority: 9 };
    // It reads the query as DELETE does.
    for (const query of ['sort=id', 'x=1', 'title=%20', 'where={}', 'where={"and":[]}']) {
      const answer = await patch(`search=${word}&${query}`, bad, { ...text, ...other });
      assertProblem(answer, 400, 'invalid-parameter');
    }
    for (const content of [bad, [bad]]) {
      const answer = await patch('', content, { ...text, ...other });
      assertProblem(answer, 400, 'condition-required');
    }
    const typed = await patch(target, bad, { ...text, ...other });
    assertProblem(typed, 415, 'unsupported-media-type');
    assert.equal(typed.headers['accept-patch'], 'application/merge-patch+json, application/json');
    assertProblem(await patch(target, bad, other), 412, 'precondition-failed');
    assertProblem(await patch(target, bad, { 'if-none-match': '*' }), 412, 'precondition-failed');
    assert.deepEqual(violationsIn(await patch(target, bad)), ['#/priority maximum']);
    assertProblem(await patch(target, [bad, bad]), 400, 'malformed-body');
    assertProblem(await patch(target, { priority: null }), 400, 'validation-failed');
    assertProblem(await patch(target, {}, { 'if-match': '' }), 400, 'invalid-precondition');
    assert.deepEqual(
      (await listed(word)).map(({ priority }) => priority),
      [1],
    );
  });
});
