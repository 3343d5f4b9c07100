import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { HEAP_BUDGET } from '../../../src/service/memory-plan.ts';
import { pageItems } from '../../../src/service/page/page-items.ts';
import type { Definition } from '../../../src/service/resource/definition.ts';
import { variantB } from '../../../src/service/todo/variant-b.ts';
import { VERSION } from '../../../src/service/version.ts';
import { assertProblem } from '../../support/assertions.ts';
import { type CheckedClient, checkedClientFor } from '../../support/checked-client.ts';
import { pathsOf } from '../../support/paths.ts';
import { startApp, VARIANTS } from '../../support/service.ts';

/** The Accept field that a browser sends to open a page. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8';

/** A further field, as in CONTRIBUTING.md, has controls of its own. */
const MAX_BYTES = 72_000 + 500 * Math.max(0, Object.keys(variantB.fields).length - 6);

async function start(test: TestContext, variant: Definition): Promise<CheckedClient> {
  const { baseUrl } = await startApp(test, variant);
  return checkedClientFor(test, baseUrl);
}

interface Index {
  readonly title: string;
  readonly version: string;
  readonly links: readonly { href: string; title: string; type: string }[];
}

for (const variant of VARIANTS) {
  const name = variant.name.toUpperCase();

  describe(`GET /, variant ${name}`, () => {
    it('is HTML if that is preferred to JSON, and JSON otherwise', async (test) => {
      const client = await start(test, variant);
      const typeFor = async (accept: string | undefined) => {
        const answer = await client.get('/', accept === undefined ? {} : { accept });
        assert.equal(answer.status, 200);
        assert.match(String(answer.headers.vary), /\bAccept\b/);
        return answer.headers['content-type'];
      };
      for (const accept of [BROWSER, 'text/html', 'text/*', 'application/json;q=0.5, text/html']) {
        assert.equal(await typeFor(accept), 'text/html; charset=utf-8', accept);
      }
      const forMachines = [undefined, '*/*', 'application/json', 'application/*'];
      const undecided = ['text/html, application/json', 'text/html;q=0.4, application/json;q=0.5'];
      for (const accept of [...forMachines, ...undecided]) {
        assert.equal(await typeFor(accept), 'application/json', accept);
      }
      const refused = await client.get('/', { accept: 'image/png' });
      assertProblem(refused, 406, 'not-acceptable');
      assert.match(String(refused.headers.vary), /\bAccept\b/);
    });

    it('links to everything that can be read without parameters', async (test) => {
      const client = await start(test, variant);
      const { title, version, links } = (await client.get('/')).json<Index>();
      assert.equal(title, `Todo service, variant ${name}`);
      assert.match(version, /^\d+\.\d+\.\d+$/);
      const found = links.map(({ href }) => href);
      const { LIST, EVENTS } = pathsOf(variant);
      for (const path of [LIST, EVENTS, '/openapi.json', '/metrics']) {
        assert(found.includes(path.slice(1)), path);
      }
      for (const { href, type } of links) {
        const answer = await client.request('HEAD', `/${href}`, { headers: { accept: type } });
        assert.equal(answer.status, 200, href);
        assert(String(answer.headers['content-type']).startsWith(type), href);
      }
    });

    it('supports conditional requests', async (test) => {
      const client = await start(test, variant);
      const tags = new Set<string>();
      for (const accept of ['text/html', 'application/json']) {
        const { headers } = await client.get('/', { accept });
        const tag = String(headers.etag);
        tags.add(tag);
        const again = await client.get('/', { accept, 'if-none-match': tag });
        assert.deepEqual([again.status, again.text], [304, '']);
        assert.equal(again.headers.etag, tag);
        assert.match(String(again.headers.vary), /\bAccept\b/);
      }
      assert.equal(tags.size, 2);
    });
  });
}

describe('the page', () => {
  it('contains the data of the fields, even if a description contains markup', async (test) => {
    const { id, ...fields } = variantB.fields;
    const title = { ...fields.title, description: '</script><b>\u00fc' };
    const variant = { ...variantB, fields: { id, ...fields, title } };
    for (const [env, events, isControlled, base] of [
      [{}, '/api/todos/events', false, ''],
      [{ MAX_EVENT_STREAMS: '0' }, undefined, false, ''],
      [{ ADMIN_TOKEN: 'x', BASE_PATH: '/todo' }, '/api/todos/events', true, '/todo'],
    ] as const) {
      const client = (await startApp(test, variant, { env })).client;
      const faultPath = `${base}/api/todos`;
      const { text } = await client.get(`${base}/`, { accept: BROWSER });
      const [, json = ''] = /<script [^>]*id="data">(.*?)<\/script>/.exec(text) ?? [];
      const { title, version, lists, ...data } = JSON.parse(json);
      assert.deepEqual([title, version, lists], ['Todo service, variant B', VERSION, []]);
      const { maxSeedBytes } = HEAP_BUDGET;
      const expected = {
        needsList: false,
        isControlled,
        faultPath,
        maxSeedBytes,
        ...pageItems(variant, events),
      };
      assert.deepEqual(data, JSON.parse(JSON.stringify(expected)));
    }
  });

  it('is small, and may run and load only its own content', async (test) => {
    const client = await start(test, variantB);
    const { headers, text } = await client.get('/', { accept: BROWSER });
    assert(Buffer.byteLength(text) < MAX_BYTES, `${Buffer.byteLength(text)} bytes`);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');

    const hashOf = (tag: string) => {
      const [all, ...more] = [...text.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))];
      assert.deepEqual(more, [], `one ${tag}`);
      return createHash('sha256')
        .update(all?.[1] ?? assert.fail(tag))
        .digest('base64');
    };
    assert.deepEqual(String(headers['content-security-policy']).split('; '), [
      "default-src 'none'",
      `script-src 'sha256-${hashOf('script')}'`,
      `style-src 'sha256-${hashOf('style')}'`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);

    const markup = text.replaceAll(/<(script|style)>.*?<\/\1>/gs, '');
    assert.doesNotMatch(markup, /\ssrc=|\sstyle=|\son\w+=/);
    const references = [...markup.matchAll(/\bhref="([^"]*)"/g)].map(([, href]) => href);
    assert.deepEqual(
      new Set(references.map((href) => href?.replace(/,.*/s, ''))),
      new Set(['data:image/svg+xml', '#search', '?', 'openapi.json']),
    );
  });
});
