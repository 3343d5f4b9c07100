import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { startAdmin } from '../support/admin.ts';
import { EventClient } from '../support/events.ts';
import { EVENTS, LIST } from '../support/paths.ts';
import { RawClient, rawClientFor } from '../support/raw.ts';
import { getRequest } from '../support/raw-requests.ts';
import { startApp } from '../support/service.ts';
import { turnsUntil, within } from '../support/within.ts';

describe('event streams', () => {
  it('end with their connection, whatever requests follow on it', async (test) => {
    const { baseUrl, port } = await startApp(test, variant, { env: { MAX_EVENT_STREAMS: '1' } });
    const client = await RawClient.connect(port);
    client.send(getRequest(EVENTS) + getRequest('/livez').repeat(20));
    await turnsUntil('the stream begins', () => client.socket.bytesRead > 0);
    client.reset();
    const later = await openedWhenThereIsRoom(baseUrl);
    assert.equal((await later.next()).event, 'ready');
    later.close();
  });

  it('do not count HEAD requests towards their limit', async (test) => {
    const { port } = await startApp(test, variant, { env: { MAX_EVENT_STREAMS: '1' } });
    const client = await rawClientFor(test, port);
    const head = getRequest(EVENTS).replace('GET', 'HEAD');
    client.send(head + head + getRequest(EVENTS));
    for (let i = 0; i < 3; i++) assert.equal((await client.next(false))?.status, 200);
  });

  it('send all 600 items of one commit, with an id on the last event alone', async (test) => {
    const { client, baseUrl } = await startApp(test, variant, {});
    const batch = Array.from({ length: 75 }, () => ({ title: 'gone' }));
    for (let i = 0; i < 8; i++) await client.post(`${LIST}/batch`, batch);
    const stream = await EventClient.open(baseUrl);
    await stream.next();
    await client.delete(`${LIST}?search=gone`);
    await client.post(LIST, { title: 'next' });
    const events = await stream.take(601);
    const deleted = Array.from({ length: 600 }, (_, i) => ['delete', `{"id":${i + 1}}`]);
    assert.deepEqual(
      events.slice(0, -1).map(({ event, data }) => [event, data]),
      deleted,
    );
    const isWithId = ({ id }: { readonly id?: string | undefined }) => id !== undefined;
    assert.deepEqual(events.filter(isWithId), events.slice(-2));
    stream.close();
  });

  it('stay open, and get `reset`, if their clients lack events that they did not read in time', async (test) => {
    const item = { title: 'x', description: '😀'.repeat(1_000), completed: false, priority: 1 };
    const seed = Array.from({ length: 1_000 }, () => item);
    const options = { seed, historyBytes: 5_000_000 };
    const { client, baseUrl, port } = await startApp(test, variant, options);
    const healthy = await EventClient.open(baseUrl);
    assert.equal((await healthy.next()).event, 'ready');
    const resets = async () => {
      const { text } = await client.get('/metrics');
      return Number(/^todo_event_streams_reset_total (\d+)$/m.exec(text)?.[1]);
    };
    const stuck = await rawClientFor(test, port);
    stuck.send(getRequest(EVENTS));
    await turnsUntil('the stream begins', () => stuck.socket.bytesRead > 0);
    stuck.socket.pause();
    // Each commit has four megabytes of events, of which the system keeps some for each client.
    for (let commit = 1; commit < 10; commit++) {
      await client.patch(`${LIST}?id.gte=1`, { priority: 1 + (commit % 5) });
      assert.equal((await healthy.take(seed.length)).length, seed.length);
    }
    stuck.ignore().socket.resume();
    await turnsUntil('it gets `reset`', async () => (await resets()) === 1);
    await client.patch(`${LIST}/1`, { title: 'the next one' });
    assert.equal((await healthy.next()).event, 'put');
    assert.equal(stuck.hasEnded, false);
    healthy.close();
  });

  it('end at once when the service stops, without delaying it', async (test) => {
    const service = await startApp(test, variant, {});
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => EventClient.open(service.baseUrl)),
    );
    const stuck = await rawClientFor(test, service.port);
    stuck.send(getRequest(EVENTS));
    stuck.socket.pause();
    assert.equal(await within('the stop', service.app.stop(600_000)), true);
    for (const stream of streams) await stream.ended();
  });
});

/** Opens a stream as soon as the service has noticed that others are closed. */
async function openedWhenThereIsRoom(baseUrl: string): Promise<EventClient> {
  let stream: EventClient | undefined;
  await turnsUntil('a stream can be opened', async () => {
    stream = await EventClient.open(baseUrl).catch(() => undefined);
    return stream !== undefined;
  });
  return stream ?? assert.fail();
}

it('cutting streams ends open streams, and clients continue after their last event', async (test) => {
  const { admin, client, baseUrl } = await startAdmin(test, variant);
  const events = await EventClient.open(baseUrl);
  await events.next();
  await client.post(LIST, { title: 'seen' });
  await events.next();
  assert.equal((await admin('DELETE', '/admin/streams')).status, 204);
  await events.ended();
  await client.post(LIST, { title: 'missed' });
  const next = await EventClient.open(baseUrl, events.lastEventId);
  assert.match((await next.take(2))[1]?.data ?? '', /missed/);
  next.close();
});
