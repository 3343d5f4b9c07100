import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { variantB } from '../../../src/service/todo/variant-b.ts';
import {
  createSend,
  type Exchange,
  MAX_TEXT,
  RequestError,
  sentenceOf,
  statusOf,
} from '../../../src/web-page/client/api/api-request.ts';
import { startApp } from '../../support/service.ts';

describe('an exchange', () => {
  it('has the response, or the reason why it has none', async (test) => {
    const { baseUrl, stop } = await startApp(test, variantB, { seed: [{ title: 'one' }] });
    const seen: Exchange[] = [];
    let notified = 0;
    const send = createSend((exchange) => {
      seen.push(exchange);
      return () => notified++;
    });
    const get = (path: string, more = {}) =>
      send({ method: 'GET', path: baseUrl + path, headers: [], ...more });
    const { status, text, headers, isOpen, isStream } = await get('/api/todos/1');
    assert.deepEqual(
      [status, isOpen, isStream, JSON.parse(text).title],
      [200, false, false, 'one'],
    );
    assert(headers.has('ETag'));
    assert(notified >= 3, 'begin, content and end');

    const missing = await get('/api/todos/7').catch((error) => error);
    assert.deepEqual([statusOf(missing), seen.at(-1)?.status], [404, 404]);
    assert.equal(sentenceOf(missing), 'Todo with id 7 was not found.');

    const abort = new AbortController();
    const streaming = send(
      { method: 'GET', path: `${baseUrl}/api/todos/events`, headers: [], signal: abort.signal },
      ({ isStream }, part) => isStream && part !== '' && abort.abort(),
    );
    await assert.rejects(streaming, { name: 'AbortError' });
    assert.deepEqual([seen.at(-1)?.failure, seen.at(-1)?.isOpen], ['Stopped', false]);
    assert.match(String(seen.at(-1)?.text), /^event: ready/m);

    await assert.rejects(
      send({ method: 'GET', path: baseUrl, headers: [['no such', '']] }),
      TypeError,
    );
    assert.equal(seen.length, 3, 'an invalid field makes no exchange');
    await stop();
    const lost = await get('/api/todos').catch((error) => error);
    assert.deepEqual([statusOf(lost), seen.at(-1)?.failure], [0, 'No response']);
    const sentences = 'No response came from the service. Again?';
    assert.equal(sentenceOf(lost, 'Again?'), sentences);
  });

  it('keeps the end of a long stream, from a whole event on', async (test) => {
    const event = `data: ${'x'.repeat(90)}\n\n`;
    const body = event.repeat(400);
    const headers = { 'Content-Type': 'text/event-stream' };
    test.mock.method(globalThis, 'fetch', async () => new Response(body, { headers }));
    const { text } = await createSend(() => () => {})({ method: 'GET', path: '/', headers: [] });
    assert(text.length <= MAX_TEXT && text.length > MAX_TEXT - event.length);
    assert(text.startsWith('data: x') && body.endsWith(text));
  });

  it('fails with the detail of a problem, and with any other text', () => {
    const problem = {
      title: 'Bad',
      detail: 'Really bad',
      errors: [{ pointer: '#/a', detail: 'no' }],
    };
    const error = new RequestError(400, JSON.stringify(problem));
    assert.deepEqual([error.message, error.violations], ['Really bad', problem.errors]);
    assert.equal(new RequestError(400, '{"title":"Bad"}').message, 'Bad');
    assert.equal(new RequestError(502, '<html>').message, 'The service responded with 502');
    const errors = [{ pointer: '#/0/title', detail: 'no' }];
    const [violation] = new RequestError(400, JSON.stringify({ errors })).violations;
    assert.deepEqual(violation, { pointer: '#/title', detail: 'item 1: no' });
    assert.equal(sentenceOf(new Error('Why?')), 'Why?');
    assert.equal(sentenceOf('so'), 'so.');
  });
});
