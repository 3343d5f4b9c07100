import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import type { HttpSettings } from '../../src/http/server/settings.ts';
import type { TableOptions } from '../../src/table/table.ts';
import { assertProblem } from '../api/suite.ts';
import { Client, type Todo } from './client.ts';
import { RawClient, type RawResponse, talk } from './raw.ts';
import { type RunningService, startService, VARIANTS } from './service.ts';

/** The bytes of a valid create request, with the given parts replaced. */
export function createRequest(parts: { fields?: string; body?: string } = {}): string {
  const body = parts.body ?? '{"title":"sent raw"}';
  const fields = parts.fields ?? `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `POST /api/todos HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n${fields}\r\n${body}`;
}

/** The bytes of a GET request, with any extra header fields. */
export function getRequest(target: string, fields = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: h\r\n${fields}\r\n`;
}

/** A suite's service, accessed over raw sockets. */
export class Edge {
  #service: RunningService | undefined;
  #client: Client | undefined;

  async start(...options: Parameters<typeof startService>): Promise<void> {
    this.#service = await startService(...options);
    this.#client = new Client(this.#service.baseUrl);
  }

  async stop(): Promise<void> {
    await this.#client?.close();
    await this.#service?.stop();
  }

  get service(): RunningService {
    assert(this.#service, 'the service is started before each suite');
    return this.#service;
  }

  get client(): Client {
    assert(this.#client, 'the service is started before each suite');
    return this.#client;
  }

  connect(): Promise<RawClient> {
    return RawClient.connect(this.service.port);
  }

  /**
   * Asserts that the bytes get exactly this problem, that the response announces the close, that
   * the connection ends gracefully, and that nothing changes.
   */
  async refuses(bytes: string | Buffer, status: number, code: string): Promise<RawResponse> {
    return this.unchanged(async () => {
      const { responses, end } = await talk(this.service.port, bytes);
      assert.equal(responses.length, 1, JSON.stringify(responses));
      const [response] = responses;
      assert(response);
      assertProblem(response, status, code);
      assert.equal(response.headers.connection, 'close');
      assert.equal(end, 'closed');
      return response;
    });
  }

  /**
   * Sends bytes and then, on the same connection, a request that must be served.
   * @returns the first response
   */
  async answers(bytes: string | Buffer): Promise<RawResponse> {
    const client = await this.connect();
    try {
      const response = await client.send(bytes).next();
      assert(response);
      const livez = await client.send(getRequest('/livez')).next();
      assert.equal(livez?.status, 200, 'the connection serves the next request');
      return response;
    } finally {
      client.destroy();
    }
  }

  /** Asserts that work changes neither the rows nor the next id. */
  async unchanged<T>(work: () => Promise<T>): Promise<T> {
    const [rows, id] = await this.#state();
    const result = await work();
    assert.deepEqual(await this.#state(), [rows, id + 1]);
    return result;
  }

  async #state(): Promise<[rows: string, nextId: number]> {
    const rows = await this.client.get('/api/todos');
    const probe = await this.client.post('/api/todos', { title: 'probe' });
    const { id } = probe.json<Todo>();
    await this.client.delete(`/api/todos/${id}`);
    return [rows.text, id];
  }
}

/** Runs a suite for both variants, each against its own service with these settings. */
export function describeEdges(
  title: string,
  suite: (edge: Edge) => void,
  settings: Partial<HttpSettings> = {},
  table: TableOptions = {},
): void {
  for (const variant of VARIANTS) {
    describe(`${title}, variant ${variant.name.toUpperCase()}`, () => {
      const edge = new Edge();
      before(() => edge.start(variant, table, settings));
      after(() => edge.stop());
      suite(edge);
    });
  }
}
