import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { EventClient, type SeenEvent } from '../support/events.ts';
import type { Todo } from '../support/requests.ts';
import { describeApi, uniqueWord } from './suite.ts';

describeApi('change events', 'Change events', (api) => {
  const clients: EventClient[] = [];
  after(() => {
    for (const client of clients) client.close();
  });
  const open = async (lastEventId?: string, query = '') => {
    const client = await EventClient.open(api.baseUrl, lastEventId, api.eventsPath + query);
    clients.push(client);
    return client;
  };

  it('are a stream that starts with ready', async () => {
    const client = await open();
    assert.equal(client.headers['content-type'], 'text/event-stream');
    assert.equal(client.headers['cache-control'], 'no-cache, no-transform');
    const { event, data } = await client.next();
    assert.equal(event, 'ready');
    assert.notEqual(data, '', 'browsers drop events without data');
  });

  it('are put for a created or changed item, with its current state, and delete', async () => {
    const client = await open();
    await client.next();
    const created = await api.client.post(api.collection, {
      title: 'x',
      description: 'é\n\u2028"',
    });
    const path = String(created.headers.location);
    const put = await api.client.put(path, { title: 'y' });
    const patched = await api.client.patch(path, { completed: true });
    await api.client.delete(path);
    const { id } = created.json();
    const events: SeenEvent[] = [];
    while (events.at(-1)?.event !== 'delete') {
      const event = await client.next();
      // Other clients may write.
      if (JSON.parse(event.data).id === id) events.push(event);
    }
    // Some clients end lines at this character.
    const escaped = ({ text }: { readonly text: string }) => text.replace('\u2028', '\\u2028');
    assert.deepEqual(
      events.map(({ event, data }) => [event, data]),
      [
        ['put', escaped(created)],
        ['put', escaped(put)],
        ['put', escaped(patched)],
        ['delete', JSON.stringify({ id })],
      ],
    );
    const ids = events.map(({ id }) => id);
    assert(ids.every((id) => id !== undefined && id !== ''));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('keep a list current that was read after ready', async () => {
    const word = uniqueWord();
    const writing = (async () => {
      for (let i = 0; i < 200; i++) {
        const { id } = await api.create({ title: `${word} ${i}` });
        if (i % 3 === 0) await api.client.put(api.itemPath(id), { priority: 1 });
        if (i % 5 === 0) await api.client.delete(api.itemPath(id));
      }
    })();
    const client = await open();
    assert.equal((await client.next()).event, 'ready');
    const items = new Map<number, Todo>();
    for (const item of await api.list()) items.set(item.id, item);
    await writing;
    const end = await api.create({ title: `${word} end` });
    for (;;) {
      const { event, data } = await client.next();
      const value: Todo = JSON.parse(data);
      if (event === 'put') items.set(value.id, value);
      if (event === 'delete') items.delete(value.id);
      if (value.id === end.id) break;
    }
    const ours = [...items.values()].filter(({ title }) => title.startsWith(word));
    const listed = await api.list(`?search=${word}`);
    assert.deepEqual(
      ours.sort((a, b) => a.id - b.id),
      listed,
    );
  });

  for (const [way, resume] of [
    ['', (id = '') => open(id)],
    [', by the parameter', (id = '') => open('', `?lastEventId=${id}`)],
    [', by the field rather', (id = '') => open(id, '?lastEventId=x')],
  ] as const) {
    it(`resume from ready, too${way}`, async () => {
      const word = uniqueWord();
      const first = await open();
      const { id } = await first.next();
      first.close();
      await api.create({ title: word });
      const second = await resume(id);
      assert.equal((await second.next()).event, 'ready');
      for (;;) {
        const { event, data } = await second.next();
        assert.notEqual(event, 'reset');
        if (data.includes(word)) break;
      }
    });
  }

  for (const [name, idAfter] of [
    ...['nonsense', '0', 'x.1', `${crypto.randomUUID()}.1`].map((id) => [id, () => id] as const),
    ['one yet to come', (id: string) => id.replace(/\d+$/, (commit) => `${commit}000000`)],
  ] as const) {
    it(`send ready and reset if they cannot resume from ${name}`, async () => {
      const { id = '' } = await (await open()).next();
      const client = await open(idAfter(id));
      const [ready, reset] = await client.take(2);
      assert.equal(ready?.event, 'ready');
      assert.equal(
        ready.id,
        undefined,
        'an id would end the reset of a client that returns after it',
      );
      assert.equal(reset?.event, 'reset');
      assert.notEqual(reset.id, undefined);
      assert.notEqual(reset?.data, '');
      const todo = await api.create({ title: uniqueWord() });
      for (;;) if ((await client.next()).data.includes(todo.title)) break;
    });
  }

  it('have the status and type of HEAD, too', async () => {
    const head = await api.client.request('HEAD', api.eventsPath);
    assert.equal(head.status, 200);
    assert.equal(head.headers['content-type'], 'text/event-stream');
    assert.equal(head.text, '');
  });
});
