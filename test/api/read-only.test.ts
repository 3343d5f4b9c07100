import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem, describeApi, uniqueWord, violationsIn } from './suite.ts';

const NEW_IS_OPEN = 'cannot be true: a new item is open; PATCH sets it';
const ASSIGNED = 'is assigned by the service; leave it out';
const ZERO_TIME = '0001-01-01T00:00:00';

describeApi('members that a request cannot set', 'Names', (api) => {
  const post = (body: unknown) => api.client.post(api.collection, body);
  const detailsOf = async (answer: ReturnType<typeof post>) =>
    assertProblem(await answer, 400, 'validation-failed').errors?.map(({ detail }) => detail);

  it('may say in a create request what a new item has', async () => {
    for (const members of [
      { id: null, completed: null, createdAt: null },
      { id: 0, completed: false, createdAt: ZERO_TIME },
      { createdAt: `${ZERO_TIME}Z` },
    ]) {
      const item = { title: uniqueWord(), ...members };
      const answer = await post(item);
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.json().completed, false);
      assert.notEqual(answer.json().id, 0);
      assert.notEqual(answer.json().createdAt?.slice(0, 4), '0001');
      assert.equal((await api.client.post(`${api.collection}/batch`, [item])).status, 201);
    }
    assert.equal((await api.send('POST', api.collection, '{"title":"x","id":0.0}')).status, 201);
  });

  it('are violations in a create request if they say anything else', async () => {
    const created = await api.create();
    const asRead = 'createdAt' in created ? ['#/createdAt read-only'] : [];
    for (const [members, ...violations] of [
      [{ completed: true }, '#/completed read-only'],
      ...['false', 0, {}, []].map((completed) => [{ completed }, '#/completed type'] as const),
      ...[created.id, 1, -1, '0', 'abc', {}, true].map((id) => [{ id }, '#/id read-only'] as const),
      ...['2026-11-20T09:30:00', '2026-11-20', '0001-01-01', `${ZERO_TIME}.0`, 0, {}, 'x'].map(
        (createdAt) => [{ createdAt }, '#/createdAt read-only'] as const,
      ),
      [{ ...created, completed: true }, '#/id read-only', '#/completed read-only', ...asRead],
      [
        { id: 5, title: '', x: 1 },
        '#/id read-only',
        '#/title not-blank',
        '#/title min-length',
        '#/x unknown',
      ],
    ] as const) {
      const item = { title: 'x', ...members };
      const shown = JSON.stringify(members);
      assert.deepEqual(violationsIn(await post(item)), violations, shown);
      const batch = await api.client.post(`${api.collection}/batch`, [item]);
      const inBatch = violations.map((each) => each.replace('#', '#/0'));
      assert.deepEqual(violationsIn(batch), inBatch, shown);
    }
    assert.deepEqual(await detailsOf(post({ title: 'x', completed: true })), [NEW_IS_OPEN]);
    assert.deepEqual(await detailsOf(post({ title: 'x', completed: 'no' })), [
      'must be true or false',
    ]);
    const assigned = post({ title: 'x', id: 7, createdAt: '2026-11-20T09:30:00' });
    assert.deepEqual(await detailsOf(assigned), [ASSIGNED, ASSIGNED]);
  });

  it('may be sent to an item as they were read, or by another clock', async () => {
    const created = await api.create();
    const path = api.itemPath(created.id);
    for (const method of ['PUT', 'PATCH']) {
      const change = async (body: object) => {
        const answer = await api.send(method, path, JSON.stringify(body));
        assert.equal(answer.status, 200, answer.text);
        return answer.json();
      };
      assert.deepEqual(await change({ ...created, completed: true }), {
        ...created,
        completed: true,
      });
      assert.deepEqual(await change({ ...created, id: null, createdAt: null }), created);
      for (const createdAt of ['1999-12-31', '1999-12-31T10:30', '1999-12-31T10:30:00+02:00']) {
        assert.deepEqual(await change({ id: created.id, createdAt }), created);
      }
      const text = `{"id":${created.id}.0}`;
      assert.deepEqual((await api.send(method, path, text)).json(), created);
    }
  });

  it('are violations in a change of an item if the id is another one, or a type is wrong', async () => {
    const created = await api.create();
    const path = api.itemPath(created.id);
    const own = `must be the integer ${created.id}, as in the path`;
    for (const method of ['PUT', 'PATCH']) {
      for (const [members, violation, detail] of [
        [{ id: created.id + 1 }, '#/id read-only', own],
        [{ id: 0 }, '#/id read-only', own],
        [{ id: `${created.id}` }, '#/id type', own],
        [{ id: {} }, '#/id type', own],
        [{ createdAt: 1_700_000_000 }, '#/createdAt type'],
        [{ createdAt: 'yesterday' }, '#/createdAt type'],
      ] as const) {
        const answer = await api.send(method, path, JSON.stringify({ ...members, priority: 1 }));
        assert.deepEqual(violationsIn(answer), [violation], JSON.stringify(members));
        const { errors } = assertProblem(answer, 400, 'validation-failed');
        if (detail !== undefined) assert.equal(errors?.[0]?.detail, detail);
      }
    }
    assert.deepEqual((await api.client.get(path)).json(), created);
  });

  it('are violations in a change of several items, unless they are null', async () => {
    const word = await api.createAll(1, 2);
    const [item] = await api.list(`?search=${word}`);
    const patch = (body: object) =>
      api.send('PATCH', `${api.collection}?search=${word}`, JSON.stringify(body));
    const nothing = await patch({ id: null, createdAt: null });
    assert.equal(nothing.text, '{"updated":2}');
    const all = await patch({ id: item?.id, createdAt: ZERO_TIME, completed: true });
    assert.deepEqual(violationsIn(all), ['#/id read-only', '#/createdAt read-only']);
    assert.deepEqual(await api.list(`?search=${word}&completed=true`), []);
  });
});
