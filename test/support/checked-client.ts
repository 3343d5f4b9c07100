import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ApiDocument } from './api-document.ts';
import { Client } from './client.ts';
import type { Answer, RequestOptions } from './requests.ts';

/** Header fields that depend on the time or the connection. */
const OF_MOMENT = ['date', 'x-request-id', 'connection', 'keep-alive'];

/**
 * A client that asserts the rules of every response: the API document describes it, an error of a
 * read is not stored by caches, and HEAD gets what GET gets, without content.
 */
export class CheckedClient extends Client {
  #document: Promise<ApiDocument> | undefined;

  /** The API document of the service. */
  document(): Promise<ApiDocument> {
    this.#document ??= super
      .request('GET', '/openapi.json')
      .then((answer) => ApiDocument.of(answer.text));
    return this.#document;
  }

  override async request(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    const document = await this.document();
    const answer = await super.request(method, path, options);
    document.check({ method, path, ...answer });
    if (answer.status < 400) return answer;
    if (['GET', 'HEAD'].includes(method)) {
      assert.equal(answer.headers['cache-control'], 'no-store', `${method} ${path}`);
    }
    if (method === 'GET') {
      const head = await super.request('HEAD', path, options);
      assert.equal(head.text, '');
      assert.deepEqual(lastingFields(head), lastingFields(answer), `HEAD ${path}`);
    }
    return answer;
  }
}

/** Creates a client that closes when its test ends. */
export function checkedClientFor(test: TestContext, baseUrl: string): CheckedClient {
  const client = new CheckedClient(baseUrl);
  test.after(() => client.close());
  return client;
}

/** The status and the header fields of a response that another one has, too. */
export function lastingFields({ status, headers }: Answer) {
  const fields = Object.entries(headers).filter(([name]) => !OF_MOMENT.includes(name));
  return { status, ...Object.fromEntries(fields) };
}
