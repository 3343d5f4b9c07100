import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Field,
  fromJson,
  fromText,
  type Kind,
  labelOf,
  wordsOf,
} from '../../../src/web-page/client/api/item-field.ts';
import { linesOf } from '../../../src/web-page/client/editor/lines.ts';
import { readDocument } from '../../../src/web-page/client/reference/api-document.ts';
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
    assert.deepEqual(parseJson('[-9007199254740993]'), ['-9007199254740993']);
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

describe('the values of a field', () => {
  const fieldOf = (kind: Kind, isNullable: boolean): Field => {
    const { name, label } = { name: 'x', label: 'X' };
    const none = { description: '', choices: [], operators: [] };
    return { name, label, kind, isNullable: isNullable || undefined, ...none };
  };

  it('are read from controls', () => {
    const cases: readonly (readonly [Field, string, unknown])[] = [
      [fieldOf('text', false), '', ''],
      [fieldOf('text', true), '', null],
      [fieldOf('text', true), ' 12 ', ' 12 '],
      [fieldOf('integer', false), '', null],
      [fieldOf('integer', false), '-9007199254740993', -9007199254740993n],
      [fieldOf('integer', false), '1.5', '1.5'],
      [fieldOf('boolean', true), '', null],
      [fieldOf('boolean', true), 'false', false],
      [fieldOf('boolean', true), 'true', true],
      [fieldOf('timestamp', false), '2026-12-24T18:00', '2026-12-24T18:00'],
    ];
    for (const [field, text, value] of cases) assert.equal(fromText(field, text), value);
  });

  it('are read from JSON, and shown in words', () => {
    assert.equal(fromJson('integer', 3), 3n);
    assert.equal(fromJson('integer', '9007199254740993'), 9007199254740993n);
    assert.equal(fromJson('text', '3'), '3');
    assert.equal(fromJson('boolean', false), false);
    for (const absent of [null, undefined]) assert.equal(fromJson('text', absent), null);
    assert.equal(fromJson('text', [1.5]), '[1.5]');
    assert.equal(wordsOf('timestamp', '2026-12-24T18:00:00.123'), '2026-12-24 18:00');
    assert.deepEqual(
      [true, false, 7n].map((value) => wordsOf('boolean', value)),
      ['yes', 'no', '7'],
    );
    assert.equal(labelOf('createdAt'), 'Created at');
  });
});

it('a pasted text is a line for each item, without blank lines', () => {
  assert.deepEqual(linesOf('Bread\n\n  Milk \n \t\nTea\n'), ['Bread', '  Milk ', 'Tea']);
  assert.deepEqual(linesOf(' \n'), [' \n']);
  assert.deepEqual(linesOf(''), ['']);
});

describe('a curl command', () => {
  it('quotes characters that a shell would interpret', () => {
    const headers: [string, string][] = [['Content-Type', 'application/json']];
    const body = '{"title":"it\'s $HOME"}';
    assert.equal(
      curlOf({ method: 'POST', path: '/api/todos', headers, body }, 'http://localhost'),
      "curl -i -X POST 'http://localhost/api/todos' \\\n" +
        "  -H 'Content-Type: application/json' \\\n" +
        `  --data-raw '{"title":"it'\\''s $HOME"}'`,
    );
  });

  it('carries nothing out when it is pasted, and sends what was sent', () => {
    const commandOf = (method: string, path: string, body: string | null = null, field = 'x') =>
      curlOf({ method, path, headers: [['X-Field', field]], body }, '');
    const pasted = commandOf('POST', '/', "{}\u0003\ntouch /tmp/\u001b[201~'\\\u009b");
    assert.match(
      pasted,
      /--data-raw \$'\{\}\\u0003\\u000atouch \/tmp\/\\u001b\[201~\\u0027\\u005c\\u009b'$/,
    );
    assert.match(commandOf('GET', '/x', '{}'), /^curl -i -X GET '\/x'/);
    assert.match(commandOf('HEAD', '/x', '{}'), /^curl -i -X HEAD '\/x'/);
    assert.match(commandOf('GET', '/x?a[b]={c}'), /^curl -ig '\/x\?a\[b\]=\{c\}'/);
    assert.match(commandOf('GET', '/x', null, ''), /-H 'X-Field;'$/);
  });

  it('has a variable in place of a token', () => {
    for (const value of ['Bearer secret', 'bearer secret']) {
      const headers: [string, string][] = [['authorization', value]];
      const command = curlOf({ method: 'GET', path: '/', headers, body: null }, '');
      assert.match(command, /-H "authorization: Bearer \$ADMIN_TOKEN"$/);
    }
  });

  it('sends GET without content, HEAD as such, and shows a stream as it arrives', () => {
    const commandOf = (method: string, headers: [string, string][] = [], body = null) =>
      curlOf({ method, path: '/x', headers, body }, '');
    assert.equal(commandOf('GET'), "curl -i '/x'");
    assert.equal(commandOf('HEAD'), "curl -i --head '/x'");
    const stream = commandOf('GET', [['Accept', 'text/event-stream']]);
    assert.equal(stream, "curl -iN '/x' \\\n  -H 'Accept: text/event-stream'");
  });
});

it('the API document in the page may have references at any place', () => {
  const ref = (path: string) => ({ $ref: `#/components/${path}` });
  const emptyContents = (mediaType: string) => [{ mediaType, examples: [] }];
  const document = {
    paths: {
      '/items/{id}': {
        summary: 'not an operation',
        get: {
          operationId: 'getItem',
          tags: ['Items', 'Others'],
          summary: 'Get',
          description: 'Gets.',
          parameters: [
            ref('parameters/id'),
            { name: 'q', in: 'query', schema: { type: ['string', 'null'] }, example: 1 },
          ],
          requestBody: ref('requestBodies/Item'),
          responses: { 200: ref('responses/Item'), default: ref('responses/Problem') },
        },
      },
    },
    components: {
      parameters: {
        id: { name: 'id', in: 'path', description: 'Id.', schema: ref('schemas/a~1b') },
      },
      schemas: { 'a/b': { type: 'integer', format: 'int64' } },
      requestBodies: {
        Item: {
          content: {
            'application/json': { examples: { one: ref('examples/one'), text: { value: 't' } } },
          },
        },
      },
      examples: { one: { summary: 'one item', value: { a: 1 } } },
      responses: {
        Item: { description: 'An item.', content: { 'application/json': {} } },
        Problem: ref('responses/Other'),
        Other: { description: 'A problem.', content: { 'application/problem+json': {} } },
      },
    },
  };
  const { operations } = readDocument(document, '/base');
  assert.deepEqual(operations, [
    {
      id: 'getItem',
      method: 'GET',
      path: '/base/items/{id}',
      tag: 'Items',
      summary: 'Get',
      description: 'Gets.',
      parameters: [
        { name: 'id', in: 'path', description: 'Id.', type: 'int64', example: '' },
        { name: 'q', in: 'query', description: '', type: '', example: '1' },
      ],
      needsToken: false,
      contents: [
        {
          mediaType: 'application/json',
          examples: [
            { name: 'one item', text: '{\n  "a": 1\n}' },
            { name: 'text', text: 't' },
          ],
        },
      ],
      responses: [
        { status: '200', description: 'An item.', contents: emptyContents('application/json') },
        {
          status: 'default',
          description: 'A problem.',
          contents: emptyContents('application/problem+json'),
        },
      ],
    },
  ]);
});
