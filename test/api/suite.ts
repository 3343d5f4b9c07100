import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { below, eventsPath } from '../../src/todo/item-api.ts';
import type { Variant } from '../../src/todo/variant.ts';
import { CheckedClient } from '../support/checked-client.ts';
import type { Answer, ProblemBody, Todo } from '../support/client.ts';
import { type RunningService, startService, VARIANTS } from '../support/service.ts';

/**
 * A black-box test's view of a service. The service may be shared and have other rows, so a test
 * creates its own items and finds them by a unique word.
 */
export class Api {
  readonly variant: Variant;
  baseUrl = '';
  #client: CheckedClient | undefined;

  constructor(variant: Variant) {
    this.variant = variant;
  }

  get isDescriptionNullable(): boolean {
    return this.variant.fields.description?.nullable === true;
  }

  /** The path of all items. */
  get collection(): string {
    return this.variant.api.collection;
  }

  /** The path of the event stream. */
  get eventsPath(): string {
    return eventsPath(this.variant.api);
  }

  /** The path of an item, or of what is no id. */
  itemPath(id: number | string): string {
    return below(this.collection, id);
  }

  get client(): CheckedClient {
    assert(this.#client, 'the service is started before each test');
    return this.#client;
  }

  connect(baseUrl: string): void {
    this.baseUrl = baseUrl;
    this.#client = new CheckedClient(baseUrl);
  }

  /** Creates an item. */
  async create(body: Partial<Todo> = {}): Promise<Todo> {
    const answer = await this.client.post(this.collection, { title: 'a title', ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json();
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

/**
 * Runs a suite for both variants, each against its own service, or against the running services at
 * BASE_URL_A and BASE_URL_B if these are set.
 */
export function describeApi(title: string, suite: (api: Api) => void): void {
  for (const variant of VARIANTS) {
    describe(`${title}, variant ${variant.name.toUpperCase()}`, () => {
      const api = new Api(variant);
      let service: RunningService | undefined;
      before(async () => {
        const baseUrl = process.env[`BASE_URL_${variant.name.toUpperCase()}`];
        if (baseUrl === undefined) service = await startService(variant);
        api.connect(baseUrl ?? service?.baseUrl ?? '');
      });
      after(async () => {
        await api.client.close();
        await service?.stop();
      });
      suite(api);
    });
  }
}

/** Whether the suite started the services itself, so that no other client writes to them. */
export function isOwnService(): boolean {
  return process.env.BASE_URL_A === undefined;
}

/** A word unique to this test and run. */
export function uniqueWord(): string {
  return `w${crypto.randomUUID().replaceAll('-', '')}`;
}

/**
 * Asserts that a response is a problem (RFC 9457) with this status and code, and returns its
 * content.
 */
export function assertProblem(
  answer: { status: number; headers: Readonly<Record<string, unknown>>; text: string },
  status: number,
  code: string,
): ProblemBody {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  const problem: ProblemBody = JSON.parse(answer.text);
  assert.equal(problem.code, code);
  assert.equal(problem.status, status);
  assert.equal(problem.type, `urn:problem-type:todo-service:${code}`);
  for (const member of ['title', 'detail', 'instance'] as const) {
    assert.equal(typeof problem[member], 'string', member);
    assert.notEqual(problem[member], '', member);
  }
  return problem;
}
