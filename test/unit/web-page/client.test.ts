import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseEvents, type StreamEvent } from '../../../src/web-page/client/api/event-parser.ts';
import { curlOf } from '../../../src/web-page/client/requests/curl.ts';
import { formatJson, jsonOf, parseJson } from '../../../src/web-page/client/shared/json.ts';

describe('JSON in the page', () => {
  it('keeps all digits of integers beyond 2^53', () => {
    const text = '{"id":9007199254740993,"title":"\\"id\\":9007199254740993","n":12,"f":1.5}';
    assert.deepEqual(parseJson(text), {
      id: '9007199254740993',
      title: '"id":9007199254740993',
      n: 12,
      f: 1.5,
    });
  });

  it('writes all digits of integers', () => {
    const values = { id: 2n ** 63n - 1n, title: '"1"', completed: false, description: null };
    const text =
      '{"id":9223372036854775807,"title":"\\"1\\"","completed":false,"description":null}';
    assert.equal(jsonOf(values), text);
  });

  it('is formatted like JSON.stringify, with all digits of numbers', () => {
    const values = [{}, [], 'a "b" {', { a: [1, { b: null }, []], 'c,d': '[x]', e: {} }, [[], {}]];
    for (const value of values) {
      assert.equal(formatJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
    }
    assert.equal(formatJson('[9007199254740993,1.0]'), '[\n  9007199254740993,\n  1.0\n]');
    assert.equal(formatJson('{"half": '), '{"half": ');
  });
});

describe('a curl command', () => {
  it('quotes characters that a shell would interpret', () => {
    const command = curlOf(
      {
        method: 'POST',
        path: '/api/todos',
        headers: [['Content-Type', 'application/json']],
        body: '{"title":"it\'s $HOME"}',
      },
      'http://localhost',
    );
    assert.equal(
      command,
      "curl -i -X POST 'http://localhost/api/todos' \\\n" +
        "  -H 'Content-Type: application/json' \\\n" +
        `  --data-raw '{"title":"it'\\''s $HOME"}'`,
    );
  });
});

describe('events of a stream', () => {
  it('are parsed however their text is split', () => {
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
});
