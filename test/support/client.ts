import type { TestContext } from 'node:test';
import { Pool } from 'undici';
import { Answer, type RequestOptions, Requests } from './requests.ts';
import { within } from './within.ts';

/** The maximum size of the header section of a response. */
const MAX_HEADER_BYTES = 64 * 1024;

/** A client of one service. Sends paths unchanged: they are neither normalised nor encoded. */
export class Client extends Requests {
  readonly #pool: Pool;

  constructor(baseUrl: string) {
    super();
    this.#pool = new Pool(baseUrl, { connections: 64, maxHeaderSize: MAX_HEADER_BYTES });
  }

  override async request(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    const { headers = {}, body = null } = options;
    const what = `the response to ${method} ${path.slice(0, 200)}`;
    const response = await within(what, this.#pool.request({ method, path, headers, body }));
    const text = await within(what, response.body.text());
    return new Answer(response.statusCode, response.headers, text);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** Creates a client that closes when its test ends. */
export function clientFor(test: TestContext, baseUrl: string): Client {
  const client = new Client(baseUrl);
  test.after(() => client.close());
  return client;
}
