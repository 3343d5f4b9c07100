import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  type ApiRequest,
  Exchange,
  type ExchangeListener,
  RequestError,
} from '../../../src/web-page/client/api/api-request.ts';
import { parseEvents, type StreamEvent } from '../../../src/web-page/client/api/event-parser.ts';
import { createEventStream } from '../../../src/web-page/client/api/event-stream.ts';

it('events of a stream are parsed however their text is split', () => {
  const text =
    ': hello\nretry: 1000\n\nevent: ready\ndata: {}\n\n' +
    'event: put\r\ndata: {"id":1}\r\nid: r.7\r\n\r\nevent: empty\nid: r.8\n\ndata:x\ndata: y\n\n';
  for (const size of [1, 2, 7, text.length]) {
    const events: StreamEvent[] = [];
    let rest = '';
    for (let at = 0; at < text.length; at += size) {
      const parsed = parseEvents(rest + text.slice(at, at + size));
      events.push(...parsed.events);
      rest = parsed.rest;
    }
    assert.equal(rest, '');
    assert.deepEqual(events, [
      { event: 'message', data: '', id: undefined },
      { event: 'ready', data: '{}', id: undefined },
      { event: 'put', data: '{"id":1}', id: 'r.7' },
      { event: 'empty', data: '', id: 'r.8' },
      { event: 'message', data: 'x\ny', id: undefined },
    ]);
  }
});

/** A stream, its connections, and the events that it reports. */
function startStream(test: TestContext) {
  test.mock.timers.enable({ apis: ['setTimeout'] });
  const connections: {
    request: ApiRequest;
    receive(text: string, status?: number): void;
    end(error?: RequestError): void;
  }[] = [];
  const events: string[] = [];
  const states: string[] = [];
  const send = (request: ApiRequest, listener?: ExchangeListener) =>
    new Promise<Exchange>((resolve, reject) => {
      const exchange = new Exchange(request);
      connections.push({
        request,
        receive: (text, status = 200) => listener?.(Object.assign(exchange, { status }), text),
        end: (error) => (error ? reject(error) : resolve(exchange)),
      });
    });
  const stream = createEventStream(
    send,
    '/events',
    ({ event }) => events.push(event),
    (isLive, reason) => states.push(isLive ? 'live' : reason),
  );
  void stream.connect();
  const pass = async (ms: number) => {
    await new Promise((resolve) => setImmediate(resolve));
    test.mock.timers.tick(ms);
  };
  const last = () => connections.at(-1) ?? assert.fail('no connection');
  return { stream, connections, last, events, states, pass };
}

const READY = 'event: ready\ndata: {}\n\n';

describe('the event stream of the page', () => {
  it('reports events with data, and is live from the first one', (test) => {
    const { last, events, states } = startStream(test);
    last().receive('');
    assert.deepEqual(states, []);
    last().receive(`${READY}: a comment\n\nevent: put\nid: r.1\nda`);
    last().receive('ta: {}\n\nevent: delete\nid: r.2\n\n');
    assert.deepEqual([events, states], [['ready', 'put'], ['live']]);
  });

  it('continues after the last event, two seconds after an end', async (test) => {
    const { last, connections, states, pass } = startStream(test);
    last().receive(`${READY}event: put\nid: r.1\ndata: {}\n\nid: r.2\n\n: comment\n\n`);
    last().end();
    await pass(1_999);
    assert.deepEqual(states, ['live', 'The service has ended the event stream.']);
    assert.equal(connections.length, 1);
    await pass(1);
    assert.deepEqual(last().request.headers, [
      ['Accept', 'text/event-stream'],
      ['Last-Event-ID', 'r.2'],
    ]);
    last().end(new RequestError(503, '{"detail":"Too many streams"}'));
    await pass(2_000);
    assert.equal(states.at(-1), 'Too many streams.');
    last().end(new RequestError());
    await pass(2_000);
    assert.equal(states.at(-1), 'There is no connection to the service.');
    assert.equal(connections.length, 4);
  });

  it('is lost after 40 s of silence, and connects again', async (test) => {
    const { last, connections, events, states, pass } = startStream(test);
    const [first = assert.fail()] = connections;
    first.receive(READY);
    await pass(39_999);
    first.receive('event: ping\ndata: {}\n\n');
    await pass(39_999);
    assert.deepEqual([states, events], [['live'], ['ready']]);
    await pass(1);
    assert.deepEqual(states, ['live', 'The service has gone silent.']);
    assert.equal(first.request.signal?.aborted, true);
    first.receive('event: put\ndata: {}\n\n');
    first.end();
    await pass(2_000);
    assert.deepEqual([events, states.length, connections.length], [['ready'], 2, 2]);
    await pass(40_000);
    assert.equal(states.length, 3, 'a service that does not respond is silent, too');
    await pass(2_000);
    last().receive(READY);
    assert.equal(states.at(-1), 'live');
  });

  it('ignores the content of a refusal', (test) => {
    const { last, events, states } = startStream(test);
    last().receive(READY, 404);
    assert.deepEqual([events, states], [[], []]);
  });

  it('stays stopped until it is connected again', async (test) => {
    const { stream, last, connections, states, pass } = startStream(test);
    last().receive(READY);
    stream.stop();
    last().end(new RequestError());
    await pass(100_000);
    assert.deepEqual([states, connections.length], [['live'], 1]);
    void stream.connect();
    assert.equal(connections.length, 2);
    stream.retry('Offline.');
    await pass(2_000);
    assert.deepEqual([states, connections.length], [['live', 'Offline.'], 3]);
  });
});
