import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { Waits } from '../../../../src/lib/waits.ts';
import type { Fault } from '../../../../src/service/features/admin/fault.ts';
import { variantB as variant } from '../../../../src/service/todo/variant-b.ts';
import { assertProblem } from '../../../api/suite.ts';
import { SEED, startAdmin } from '../../../support/admin.ts';
import type { Todo } from '../../../support/client.ts';
import { EventClient } from '../../../support/events.ts';
import { EVENTS, itemPath, LIST } from '../../../support/paths.ts';
import { RawClient } from '../../../support/raw.ts';
import { createRequest, getRequest } from '../../../support/raw-requests.ts';

async function start(test: TestContext, ...faults: Fault[]) {
  const service = await startAdmin(test, variant);
  await service.setFaults(...faults);
  const count = async () => {
    await service.setFaults();
    return (await service.client.get(LIST)).json<Todo[]>().length;
  };
  /** Sends a request by itself; returns what has come when the connection ends, and how it did. */
  const sent = async (request: string) => {
    const raw = await RawClient.connect(Number(new URL(service.baseUrl).port));
    test.after(() => raw.destroy());
    let text = '';
    raw.socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    const end = await raw.send(request).ended;
    const [head = '', content = ''] = text.split('\r\n\r\n');
    return { head, content, end };
  };
  return { ...service, count, sent };
}

describe('a fault with a status', () => {
  it('responds with its own content and type, whatever the status', async (test) => {
    const { client, setFaults, count } = await start(test);
    const content = '<h1>Bad Gateway — é</h1>';
    const headers = { 'content-TYPE': 'text/html', 'Cache-Control': 'max-age=60' };
    await setFaults({ status: 502, headers, content });
    const page = await client.post(LIST, { title: 'x' });
    assert.deepEqual([page.status, page.text], [502, content]);
    assert.equal(page.headers['content-type'], 'text/html');
    assert.equal(page.headers['cache-control'], 'max-age=60');
    await setFaults({ status: 200, content: '' });
    const empty = await client.get(LIST);
    assert.deepEqual([empty.status, empty.text, empty.headers['content-length']], [200, '', '0']);
    assert.equal(empty.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(empty.headers['cache-control'], 'no-store');
    assert.equal(await count(), SEED.length);
  });

  it('has a problem from 400 on, and no content otherwise', async (test) => {
    const { client, setFaults } = await start(test);
    for (const status of [200, 201, 202, 203, 204, 205, 206, 301, 304, 307, 399]) {
      await setFaults({ status, headers: { location: '/x' } });
      const answer = await client.get(LIST);
      assert.deepEqual([answer.status, answer.text, answer.headers.location], [status, '', '/x']);
      assert.equal(answer.headers['content-type'], undefined);
    }
    for (const status of [400, 451, 599]) {
      await setFaults({ status });
      assertProblem(await client.get(LIST), status, 'injected-fault');
    }
    await setFaults({ status: 503, headers: { 'Content-Type': 'text/html' } });
    assert.equal((await client.get(LIST)).headers['content-type'], 'text/html');
  });

  it('has no effect on its own connection', async (test) => {
    const { sent } = await start(test, { status: 200, content: 'x' });
    const { head } = await sent(getRequest(LIST) + getRequest(LIST, 'Connection: close\r\n'));
    assert.match(head, /^HTTP\/1\.1 200 .*Content-Length: 1\r\n/s);
  });
});

describe('a fault that aborts', () => {
  it('closes the connection, or resets it, and nothing is written', async (test) => {
    const { sent, setFaults, count } = await start(test, { abort: true });
    assert.deepEqual(await sent(createRequest()), { head: '', content: '', end: 'closed' });
    await setFaults({ abort: 'reset' });
    assert.deepEqual(await sent(createRequest()), { head: '', content: '', end: 'reset' });
    assert.equal(await count(), SEED.length);
  });

  it('closes after half of the content of what has been carried out', async (test) => {
    const { sent, count } = await start(test, { method: 'POST', abort: 'truncate' });
    const { head, content, end } = await sent(createRequest());
    assert.match(head, /^HTTP\/1\.1 201 /);
    const [, length] = /Content-Length: (\d+)/.exec(head) ?? [];
    assert.equal(content.length, Math.floor(Number(length) / 2));
    assert.equal(end, 'closed');
    assert.equal(await count(), SEED.length + 1);
  });

  it('cuts its own content, too, and content in chunks before the last', async (test) => {
    const { admin, sent, setFaults } = await start(test);
    await setFaults({ status: 502, content: '0123456789', abort: 'truncate' });
    assert.equal((await sent(getRequest(LIST))).content, '01234');
    await setFaults();
    const title = 'x'.repeat(200);
    await admin(
      'POST',
      '/admin/reset',
      Array.from({ length: 2000 }, () => ({ title })),
    );
    await setFaults({ abort: 'truncate' });
    const { head, content } = await sent(getRequest(LIST));
    assert.match(head, /Transfer-Encoding: chunked/);
    assert(content.length > 1000 && content.length < 400_000, `${content.length} bytes`);
    assert.doesNotMatch(content, /\r\n0\r\n/);
  });

  it('closes as after the response where there is no content', async (test) => {
    const { sent, count, client, baseUrl } = await start(test, { abort: 'truncate' });
    const none = { head: '', content: '', end: 'closed' };
    assert.deepEqual(await sent(`DELETE ${itemPath(1)} HTTP/1.1\r\nHost: h\r\n\r\n`), none);
    for (const path of [LIST, EVENTS]) {
      assert.deepEqual(await sent(`HEAD ${path} HTTP/1.1\r\nHost: h\r\n\r\n`), none);
    }
    const events = await EventClient.open(baseUrl);
    assert.equal((await events.next()).event, 'ready');
    await events.ended();
    assert.equal(await count(), SEED.length - 1);
    assert.equal((await client.get(itemPath(1))).status, 404);
  });
});

describe('a fault with a rate of bytes', () => {
  /** The waits between writes, in milliseconds, which end at once. */
  function withFastWaits(test: TestContext) {
    const waits: unknown[] = [];
    test.mock.method(Waits.prototype, 'sleep', async (ms: unknown) => {
      waits.push(ms);
    });
    return waits;
  }

  it('sends content at it, in writes a tenth of a second apart', async (test) => {
    const { client, setFaults } = await start(test);
    const waits = withFastWaits(test);
    const content = 'x'.repeat(100);
    await setFaults({ bytesPerSecond: 250, status: 200, content });
    assert.equal((await client.get(LIST)).text, content);
    assert.equal(waits.length, 4);
    await setFaults({ bytesPerSecond: 15, status: 200, content: 'x'.repeat(30) });
    waits.length = 0;
    assert.equal((await client.get(LIST)).text.length, 30);
    assert.deepEqual([waits.length, waits[0]], [20, 100]);
    await setFaults({ bytesPerSecond: 4, status: 200, content: 'abc' });
    waits.length = 0;
    assert.equal((await client.get(LIST)).text, 'abc');
    assert.deepEqual(waits, [250, 250, 250]);
  });

  it('sends the head at once', async (test) => {
    const { setFaults, baseUrl } = await start(test);
    await setFaults({ bytesPerSecond: 10 });
    for (const path of [LIST, EVENTS]) {
      const raw = await RawClient.connect(Number(new URL(baseUrl).port));
      test.after(() => raw.destroy());
      raw.send(getRequest(path));
      const [head] = await once(raw.socket, 'data');
      assert.match(String(head), /^HTTP\/1\.1 200 .*\r\n\r\n$/s);
    }
  });

  it('slows what is carried out, and events', async (test) => {
    const { client, setFaults, baseUrl } = await start(test);
    const waits = withFastWaits(test);
    await setFaults({ bytesPerSecond: 1000 });
    const list = await client.get(LIST);
    assert.equal(list.json<Todo[]>().length, SEED.length);
    assert.equal(waits.length, Math.ceil(list.text.length / 100));
    const events = await EventClient.open(baseUrl);
    assert.equal((await events.next()).event, 'ready');
    await client.post(LIST, { title: 'x' });
    assert.equal((await events.next()).event, 'put');
    events.close();
  });

  it('sends all of a long list, however fast', async (test) => {
    const { client, admin, setFaults } = await start(test);
    const description = 'x'.repeat(1000);
    const items = Array.from({ length: 600 }, () => ({ title: 'x', description }));
    assert.equal((await admin('POST', '/admin/reset', items)).status, 204);
    withFastWaits(test);
    await setFaults({ bytesPerSecond: Number.MAX_VALUE });
    assert.equal((await client.get(LIST)).json<Todo[]>().length, items.length);
  });

  it('sends what is left at once when the faults are deleted, or at a reset', async (test) => {
    const { admin, setFaults, baseUrl } = await start(test);
    const port = Number(new URL(baseUrl).port);
    const content = 'x'.repeat(100_000);
    for (const [method, path] of [
      ['DELETE', '/admin/faults'],
      ['POST', '/admin/reset'],
    ] as const) {
      await setFaults({ bytesPerSecond: 1, status: 200, content: content.slice(0, 60_000) });
      const raw = await RawClient.connect(port);
      await raw.sendApart(getRequest(LIST));
      await admin(method, path);
      assert.equal((await raw.next())?.text.length, 60_000);
      raw.destroy();
    }
  });
});
