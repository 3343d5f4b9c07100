import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe } from 'node:test';
import type { Definition } from '../../src/service/resource/definition.ts';
import { uniqueWord } from '../support/assertions.ts';
import { CheckedClient } from '../support/checked-client.ts';
import type { Answer, Todo } from '../support/requests.ts';
import { type RunningService, startService, VARIANTS } from '../support/service.ts';

export { assertProblem, refusedIn, uniqueWord, violationsIn } from '../support/assertions.ts';

/**
 * A black-box test's view of a service. The service may be shared and have other rows, so a test
 * creates its own items and finds them by a unique word.
 */
export class Api {
  readonly variant: Definition;
  baseUrl = '';
  #service: RunningService | undefined;
  #client: CheckedClient | undefined;

  constructor(variant: Definition) {
    this.variant = variant;
  }

  get isDescriptionNullable(): boolean {
    return this.variant.fields.description?.nullable === true;
  }

  /** The port, for requests that are sent as bytes. */
  get port(): number {
    return Number(new URL(this.baseUrl).port);
  }

  /** The path of all items. */
  get collection(): string {
    return this.variant.api.collection;
  }

  /** The path of the event stream. */
  get eventsPath(): string {
    return `${this.collection}/events`;
  }

  /** The path of an item. @param id an id, or a text that is not one */
  itemPath(id: number | string): string {
    return `${this.collection}/${id}`;
  }

  get client(): CheckedClient {
    assert(this.#client, 'the service is started before each test');
    return this.#client;
  }

  async connect(): Promise<void> {
    if (this.#client !== undefined) return;
    const baseUrl = givenUrl(this.variant);
    if (baseUrl === undefined) this.#service = await startService(this.variant);
    this.baseUrl = baseUrl ?? this.#service?.baseUrl ?? '';
    this.#client = new CheckedClient(this.baseUrl);
  }

  async disconnect(): Promise<void> {
    await this.#client?.close();
    await this.#service?.stop();
  }

  /** Creates an item. */
  async create(body: Partial<Todo> = {}): Promise<Todo> {
    const answer = await this.client.post(this.collection, { title: 'a title', ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json();
  }

  /** Creates items of the given priorities, and returns the word in all of their titles. */
  async createAll(...priorities: readonly number[]): Promise<string> {
    const word = uniqueWord();
    for (const priority of priorities) await this.create({ title: word, priority });
    return word;
  }

  /** The items in the list for a query string. */
  async list(query = ''): Promise<Todo[]> {
    const answer = await this.client.get(`${this.collection}${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json();
  }

  /** Sends bytes as a JSON body. */
  send(
    method: string,
    path: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.client.request(method, path, {
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  }
}

const apis = VARIANTS.filter((variant) => isOwnService() || givenUrl(variant) !== undefined).map(
  (variant) => new Api(variant),
);

after(() => Promise.all(apis.map((api) => api.disconnect())));

const CONTRACT = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8').split('\n');

/**
 * Runs a suite for all variants, each against one service for all suites of the process. If
 * BASE_URL_A or BASE_URL_B is set, runs it for those variants alone, against what runs there.
 * @param chapter the chapter or section of docs/api.md that it tests
 */
export function describeApi(title: string, chapter: string, suite: (api: Api) => void): void {
  const isThere = CONTRACT.includes(`## ${chapter}`) || CONTRACT.includes(`### ${chapter}`);
  assert(isThere, `docs/api.md has no chapter "${chapter}"`);
  for (const api of apis) {
    const place = `docs/api.md: "${chapter}"`;
    describe(`${title}, variant ${api.variant.name.toUpperCase()} (${place})`, () => {
      before(() => api.connect());
      suite(api);
    });
  }
}

/** Whether the suite started the services itself, so that no other client writes to them. */
export function isOwnService(): boolean {
  return VARIANTS.every((variant) => givenUrl(variant) === undefined);
}

function givenUrl({ name }: Definition): string | undefined {
  return process.env[`BASE_URL_${name.toUpperCase()}`];
}
