import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Variant } from '../../../../src/service/todo/variant.ts';
import { ApiDocument } from '../../../support/api-document.ts';
import { Client } from '../../../support/client.ts';
import { pathsOf } from '../../../support/paths.ts';
import type { Answer } from '../../../support/requests.ts';
import { startApp, VARIANTS } from '../../../support/service.ts';

/** Values of parameters of the list, in header fields and query strings. */
const LIST_VALUES = {
  'If-Match': [
    ...['*', '""', '"x"', 'W/"x"', '"x","y"', '"x" , W/"y"', ', "x",, ,', '"a,b"', '"\u00e4"'],
    ...['', ',', 'x', '"x', 'x"', '"x" "y"', '*, "x"', '"x", *', 'w/"x"', 'W/*', '**', '"a b"'],
  ],
  createdAt: [
    ...['2026-11-20', '2026-11-20T09:30', '2026-11-20T09:30:00', '2026-11-20T09:30:00.123'],
    ...['2024-02-29', '2000-02-29', '0000-02-29', '2026-04-30', '2026-12-31', '9999-01-01'],
    ...['2023-02-29', '1900-02-29', '2026-02-30', '2026-04-31', '2026-13-01', '2026-00-01'],
    ...['2026-01-00', '2026-01-32', '2026-11-20T24:00', '2026-11-20T09:30:60', '2026-11-20T09'],
    ...['2026-11-20T09:30:00.1', '2026-11-20T09:30:00Z', '26-11-20', ''],
  ],
  sort: [
    ...['id', '-id', 'title,-priority,title', '-title.ignoreCase,description.ignoreCase'],
    ...['', '-', '--id', 'x', 'id,', 'id;title', 'id.ignoreCase', 'title.x', 'title.ignorecase'],
  ],
};

for (const variant of VARIANTS) {
  describe(`the schemas of requests, variant ${variant.name.toUpperCase()}`, () => {
    const { LIST } = pathsOf(variant);

    it('admit the parameters of the list that get no 400', async (test) => {
      const { client, document } = await start(test, variant);
      await agree(document, LIST, LIST_VALUES, async (name, value) => {
        const isHeader = name === 'If-Match';
        const query = isHeader ? '' : `?${name}=${encodeURIComponent(value)}`;
        const headers = isHeader ? { [name]: value } : {};
        return client.request('GET', LIST + query, { headers });
      });
    });
  });
}

async function start(test: TestContext, variant: Variant) {
  const { baseUrl } = await startApp(test, variant);
  const client = new Client(baseUrl);
  test.after(() => client.close());
  const document = ApiDocument.of((await client.get('/openapi.json')).text);
  return { baseUrl, client, document };
}

/** Asserts that the schemas of parameters of a GET admit those values that do not get 400. */
async function agree(
  document: ApiDocument,
  path: string,
  values: Readonly<Record<string, readonly string[]>>,
  send: (name: string, value: string) => Promise<Answer>,
): Promise<void> {
  const { parameters = [] } = document.document.paths[path]?.get ?? {};
  for (const [name, each] of Object.entries(values)) {
    const index = parameters.findIndex((parameter) => parameter.name === name);
    // Not every variant has every field.
    if (index === -1) continue;
    for (const value of each) {
      const { status } = await send(name, value);
      const schema = ['paths', path, 'get', 'parameters', String(index), 'schema'];
      assert.equal(document.isValid(schema, value), status !== 400, `${name}: ${value}`);
    }
  }
}
