import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventParser, type StreamEvent } from '../../src/web-page/client/api/event-parser.ts';
import { linksOf, View, viewOfLink } from '../../src/web-page/client/list/address.ts';
import { curlOf } from '../../src/web-page/client/requests/curl.ts';
import { formatJson, parseJson } from '../../src/web-page/client/shared/json.ts';

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

  it('is formatted like JSON.stringify, with each value as written', () => {
    const values = [{}, [], 'a "b" {', { a: [1, { b: null }, []], 'c,d': '[x]', e: {} }, [[], {}]];
    for (const value of values) {
      assert.equal(formatJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
    }
    assert.equal(formatJson('[9007199254740993,1.0]'), '[\n  9007199254740993,\n  1.0\n]');
  });
});

describe('the address of the page', () => {
  it('has the parameters of the request', () => {
    const view = new View('?search=a+b&title.like=x%25&offset=100');
    assert.equal(
      view.apiPath('/api/todos'),
      '/api/todos?search=a+b&title.like=x%25&offset=100&limit=50',
    );
    assert.equal(view.pagePath, '/?search=a+b&title.like=x%25&offset=100');
    assert.deepEqual(view.others, [['title.like', 'x%']]);
    assert.equal(view.with('sort', '-id').pagePath, '/?search=a+b&title.like=x%25&sort=-id');
    assert.equal(view.with('search', '').without('title.like', 'x%').pagePath, '/');
    assert.equal(new View('limit=7').apiPath('/api/todos'), '/api/todos?limit=7');
  });

  it('tells whether it shows the whole list, and whether it depends on fields', () => {
    const facts = (query: string) => {
      const { isWhole, dependsOnFields } = new View(query);
      return [isWhole, dependsOnFields];
    };
    assert.deepEqual(facts('offset=50'), [true, false]);
    assert.deepEqual(facts('sort=title'), [true, true]);
    assert.deepEqual(facts('completed=true'), [false, true]);
    assert.deepEqual(facts('id.gt=5'), [false, true]);
  });

  it('follows links of the service', () => {
    const field =
      '</api/todos?sort=-id&limit=50&offset=0>; rel="first", ' +
      '</api/todos?sort=-id&limit=50&offset=150>; rel="last"';
    const links = linksOf(field);
    assert.deepEqual([...links.keys()], ['first', 'last']);
    assert.equal(viewOfLink(links.get('first') ?? '').pagePath, '/?sort=-id');
    assert.equal(viewOfLink(links.get('last') ?? '').pagePath, '/?sort=-id&offset=150');
    assert.equal(linksOf(null).size, 0);
  });
});

describe('a curl command', () => {
  it('quotes what a shell would interpret', () => {
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

describe('the event parser', () => {
  it('parses events however their text is split', () => {
    const text =
      ': hello\nretry: 1000\n\nevent: ready\ndata: {}\n\n' +
      'event: put\r\ndata: {"id":1}\r\nid: r.7\r\n\r\nevent: empty\nid: r.8\n\ndata:x\ndata: y\n\n';
    for (const size of [1, 2, 7, text.length]) {
      const events: StreamEvent[] = [];
      const parser = new EventParser((event) => events.push(event));
      for (let at = 0; at < text.length; at += size) parser.take(text.slice(at, at + size));
      assert.deepEqual(events, [
        { event: 'ready', data: '{}' },
        { event: 'put', data: '{"id":1}' },
        { event: 'message', data: 'x\ny' },
      ]);
      assert.equal(parser.lastEventId, 'r.8');
    }
  });

  it('drops an incomplete event of an interrupted stream', () => {
    const events: StreamEvent[] = [];
    const parser = new EventParser((event) => events.push(event));
    parser.take('id: 1\nevent: put\ndata: half');
    parser.restart();
    parser.take('event: ready\ndata: {}\n\n');
    assert.deepEqual(events, [{ event: 'ready', data: '{}' }]);
    assert.equal(parser.lastEventId, '');
  });
});
