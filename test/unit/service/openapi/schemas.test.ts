import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkedClientFor } from '../../../support/checked-client.ts';
import { pathsOf } from '../../../support/paths.ts';
import { startApp, VARIANTS } from '../../../support/service.ts';

/** Values of parameters of the list, in header fields and query strings. */
const VALUES = {
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
  const { LIST } = pathsOf(variant);

  it(`schemas admit the parameters of the list that get no 400, variant ${variant.name}`, async (test) => {
    const { baseUrl } = await startApp(test, variant);
    const client = checkedClientFor(test, baseUrl);
    const document = await client.document();
    const { parameters = [] } = document.document.paths[LIST]?.get ?? {};
    for (const [name, values] of Object.entries(VALUES)) {
      const index = parameters.findIndex((parameter) => parameter.name === name);
      // Not every variant has every field.
      if (index === -1) continue;
      const schema = ['paths', LIST, 'get', 'parameters', String(index), 'schema'];
      for (const value of values) {
        const { status } =
          name === 'If-Match'
            ? await client.get(LIST, { [name]: value })
            : await client.get(`${LIST}?${name}=${encodeURIComponent(value)}`);
        assert.equal(document.isValid(schema, value), status !== 400, `${name}: ${value}`);
      }
    }
  });
}
