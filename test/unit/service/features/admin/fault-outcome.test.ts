import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Fault } from '../../../../../src/service/features/control/fault.ts';
import { variantB as variant } from '../../../../../src/service/todo/variant-b.ts';
import { assertProblem } from '../../../../api/suite.ts';
import { SEED, startAdmin } from '../../../../support/admin.ts';
import type { Todo } from '../../../../support/client.ts';
import { EventClient } from '../../../../support/events.ts';
import { EVENTS, itemPath, LIST } from '../../../../support/paths.ts';
import { RawClient } from '../../../../support/raw.ts';
import { createRequest, getRequest } from '../../../../support/raw-requests.ts';

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

  it('sends a field of several values once for each of them', async (test) => {
    const { sent, setFaults } = await start(test);
    const cookies = { 'set-cookie': ['a=1', 'b=2'], 'Cache-Control': ['no-cache', 'private'] };
    await setFaults({ status: 503, headers: { ...cookies, 'Content-Type': ['text/html'] } });
    const { head } = await sent(getRequest(LIST, 'Connection: close\r\n'));
    const fields = head.split('\r\n').filter((line) => /^(set-|cache|content-t)/i.test(line));
    assert.deepEqual(fields.sort(), [
      'Cache-Control: no-cache',
      'Cache-Control: private',
      'Content-Type: text/html',
      'Set-Cookie: a=1',
      'Set-Cookie: b=2',
    ]);
  });

  it('has no effect on its own connection', async (test) => {
    const { sent } = await start(test, { status: 200, content: 'x' });
    const { head } = await sent(getRequest(LIST) + getRequest(LIST, 'Connection: close\r\n'));
    assert.match(head, /^HTTP\/1\.1 200 .*Content-Length: 1\r\n/s);
  });
});

describe('a fault that aborts', () => {
  it('closes the connection, or resets it, and nothing is written', async (test) => {
    const { sent, setFaults, count } = await start(test, { abort: 'before' });
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
    assert.deepEqual(await sent(`DELETE ${itemPath(1)} HTTP/1.1\r\nHost: localhost\r\n\r\n`), none);
    for (const path of [LIST, EVENTS]) {
      assert.deepEqual(await sent(`HEAD ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`), none);
    }
    await assert.rejects(EventClient.open(baseUrl));
    assert.equal(await count(), SEED.length - 1);
    assert.equal((await client.get(itemPath(1))).status, 404);
  });
});
