import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AUTHORIZED, startAdmin } from '../support/admin.ts';
import type { OperationObject } from '../support/api-document.ts';
import { type CheckedClient, checkedClientFor, lastingFields } from '../support/checked-client.ts';
import { EVENTS, LIST } from '../support/paths.ts';
import type { Answer, RequestOptions } from '../support/requests.ts';
import { VARIANTS } from '../support/service.ts';
import { assertProblem } from './suite.ts';

/*
 * Rules that hold for every operation (api.md: "Requests"): each is tried on all paths and methods
 * of the API document, and none of these requests may change an item.
 */

/** The content that a request with a seed may have, and that any other request may have, in bytes. */
const MIB = 1024 * 1024;
const MAX_BYTES: Readonly<Record<string, number>> = { reset: MIB, putList: MIB };
const MAX_USUAL_BYTES = 64 * 1024;

/** Paths whose responses do not depend on `Accept`. */
const IGNORE_ACCEPT = ['/livez', '/readyz', '/metrics', '/openapi.json'];

/** A parameter that these paths do not have is 400. Other paths ignore the query string. */
const STRICT = new RegExp(`^${LIST}(?:/|$)|^/admin/requests$`);

interface Case {
  readonly method: string;
  /** With an item that exists, and with a condition where one is required. */
  readonly target: string;
  readonly template: string;
  readonly operation: OperationObject;
}

interface Running {
  readonly cases: readonly Case[];
  send(each: Case, options?: RequestOptions, query?: string): Promise<Answer>;
}

/** Content that is valid for an operation, from its examples; undefined if it takes none. */
function contentOf({ requestBody }: OperationObject): { type: string; body: string } | undefined {
  const [[type, { examples = {} }] = ['', {}]] = Object.entries(requestBody?.content ?? {});
  const [example] = Object.values(examples);
  return example && { type, body: JSON.stringify(example.value) };
}

for (const variant of VARIANTS) {
  /** Declares a test, after which the list must be as it was. */
  const rule = (title: string, tryOut: (running: Running) => Promise<void>) =>
    it(title, async (test) => {
      const { baseUrl } = await startAdmin(test, variant);
      const client = checkedClientFor(test, baseUrl);
      const before = (await client.get(LIST)).text;
      await tryOut(await runningAt(client));
      assert.equal((await client.get(LIST)).text, before);
    });
  const runningAt = async (client: CheckedClient): Promise<Running> => {
    const cases = (await client.document()).operations.map((each) => ({
      ...each,
      template: each.path,
      target: each.path.replace('{id}', '1').replace('{name}', 'anna'),
    }));
    const send = ({ method, target, template }: Case, options: RequestOptions = {}, query = '') => {
      const needsCondition = template === LIST && ['PATCH', 'DELETE'].includes(method);
      const all = [...(needsCondition ? ['id=999'] : []), ...(query === '' ? [] : [query])];
      const path = all.length === 0 ? target : `${target}?${all.join('&')}`;
      return client.request(method, path, {
        ...options,
        headers: { ...AUTHORIZED, ...options.headers },
      });
    };
    return { cases, send };
  };
  const titleOf = ({ method, template }: Case) => `${method} ${template}`;

  describe(`every operation with content, variant ${variant.name.toUpperCase()}`, () => {
    rule(
      'refuses other types, codings and charsets, and names its own',
      async ({ cases, send }) => {
        for (const each of cases) {
          const { type, body } = contentOf(each.operation) ?? {};
          if (type === undefined || body === undefined) continue;
          for (const headers of [
            { 'content-type': 'text/plain' },
            { 'content-type': `${type}; charset=iso-8859-1` },
            { 'content-type': type, 'content-encoding': 'gzip' },
          ]) {
            const answer = await send(each, { headers, body });
            assertProblem(answer, 415, 'unsupported-media-type');
            const field = each.method === 'PATCH' ? 'accept-patch' : 'accept-post';
            assert(String(answer.headers[field]).includes(type), titleOf(each));
          }
        }
      },
    );

    rule(
      'refuses what is not JSON in UTF-8, and what is nested too deep',
      async ({ cases, send }) => {
        for (const each of cases) {
          const { type = '', body } = contentOf(each.operation) ?? {};
          if (body === undefined) continue;
          const open = body.slice(0, 1);
          const deep =
            open === '['
              ? '['.repeat(33) + ']'.repeat(33)
              : `${'{"x":'.repeat(33)}1${'}'.repeat(33)}`;
          for (const bad of [
            `${open}`,
            `${body}x`,
            Buffer.from(`${open}"\xff"`, 'latin1'),
            deep,
            ' ',
          ]) {
            const answer = await send(each, { headers: { 'content-type': type }, body: bad });
            assertProblem(answer, 400, 'malformed-body');
          }
        }
      },
    );

    rule('refuses content beyond its limit, and closes the connection', async ({ cases, send }) => {
      for (const each of cases) {
        const { type = '', body } = contentOf(each.operation) ?? {};
        if (body === undefined) continue;
        const limit = MAX_BYTES[each.operation.operationId] ?? MAX_USUAL_BYTES;
        const headers = { 'content-type': type };
        const answer = await send(each, { headers, body: ' '.repeat(limit + 1) });
        assertProblem(answer, 413, 'content-too-large');
        assert.equal(answer.headers.connection, 'close', titleOf(each));
        const within = await send(each, { headers, body: ' '.repeat(limit) });
        assertProblem(within, 400, 'malformed-body');
      }
    });
  });

  describe(`every operation, variant ${variant.name.toUpperCase()}`, () => {
    rule('refuses a query string that is not percent-encoded UTF-8', async ({ cases, send }) => {
      for (const each of cases) {
        assertProblem(await send(each, {}, 'a=%ff'), 400, 'malformed-query');
      }
    });

    rule('refuses an unknown parameter, or ignores its query string', async ({ cases, send }) => {
      for (const each of cases) {
        const isStrict = STRICT.test(each.template);
        // Other writes would be carried out.
        if (!isStrict && each.method !== 'GET') continue;
        const { type = '', body = '' } = contentOf(each.operation) ?? {};
        const answer = await send(each, { headers: { 'content-type': type }, body }, 'dryRun=true');
        if (isStrict) assertProblem(answer, 400, 'invalid-parameter');
        else assert.equal(answer.status, 200, titleOf(each));
      }
    });

    rule('refuses a request that does not accept its response', async ({ cases, send }) => {
      for (const each of cases) {
        const { type = 'application/json', body } = contentOf(each.operation) ?? {};
        const hasContent = Object.entries(each.operation.responses).some(
          ([status, { content }]) => /^20[01]$/.test(status) && content !== undefined,
        );
        if (!hasContent) continue;
        const headers = { accept: 'image/png', 'content-type': type };
        const answer = await send(each, { headers, ...(body !== undefined && { body }) });
        if (IGNORE_ACCEPT.includes(each.template)) assert.equal(answer.status, 200, titleOf(each));
        else assertProblem(answer, 406, 'not-acceptable');
      }
    });

    rule('serves HEAD where it serves GET, without content', async ({ cases, send }) => {
      for (const each of cases.filter(({ method }) => method === 'GET')) {
        if (each.template === EVENTS) continue;
        const [get, head] = [await send(each), await send({ ...each, method: 'HEAD' })];
        assert.deepEqual([head.status, head.text], [get.status, ''], titleOf(each));
        // Metrics and the journal change with each request, and so does their length.
        const changes = ['/metrics', '/admin/requests'].includes(each.template);
        const length = changes ? { 'content-length': '' } : {};
        const fieldsOf = (answer: Answer) => ({ ...lastingFields(answer), ...length });
        assert.deepEqual(fieldsOf(head), fieldsOf(get), titleOf(each));
      }
    });

    rule('is a path as sent: a final slash makes another one', async ({ cases, send }) => {
      for (const each of cases.filter(({ template }) => template !== '/')) {
        assertProblem(await send({ ...each, target: `${each.target}/` }), 404, 'unknown-path');
      }
    });
  });
}
