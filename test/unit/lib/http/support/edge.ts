import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import type { HttpSettings } from '../../../../../src/lib/http/server/http-settings.ts';
import type { HttpServer } from '../../../../../src/lib/http/server/server.ts';
import { assertProblem } from '../../../../support/assertions.ts';
import { exchangeBytes, RawClient, type RawResponse } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { startServer } from '../../../../support/server.ts';
import { Notes } from './notes.ts';

/** A suite's server with notes, accessed over raw sockets. */
export class RawServer {
  readonly notes = new Notes();
  #server: HttpServer | undefined;
  port = 0;

  async start(settings: Partial<HttpSettings>): Promise<void> {
    const { server, port } = await startServer(this.notes.routes, settings);
    this.#server = server;
    this.port = port;
  }

  async stop(): Promise<void> {
    await this.#server?.drain(0);
  }

  connect(): Promise<RawClient> {
    return RawClient.connect(this.port);
  }

  /**
   * Asserts that the bytes get exactly this problem, that the response announces the close, that
   * the connection ends gracefully, and that nothing changes.
   */
  async refuses(bytes: string | Buffer, status: number, code: string): Promise<RawResponse> {
    return this.unchanged(async () => {
      const { responses, end } = await exchangeBytes(this.port, bytes);
      assert.equal(responses.length, 1, `one response, not ${JSON.stringify(responses)}`);
      const [response] = responses;
      assert(response);
      assertProblem(response, status, code);
      assert.equal(response.headers.connection, 'close', 'the response announces the close');
      assert.equal(end, 'closed', 'the connection ends without a reset');
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
      assert(response, 'the connection ended without a response');
      const livez = await client.send(getRequest('/livez')).next();
      assert.equal(livez?.status, 200, 'the connection serves the next request');
      return response;
    } finally {
      client.destroy();
    }
  }

  /** Asserts that work changes neither the notes nor the next id. */
  async unchanged<T>(work: () => Promise<T>): Promise<T> {
    const before = this.notes.state;
    const result = await work();
    assert.deepEqual(this.notes.state, before, 'nothing changes');
    return result;
  }
}

/** Runs a suite against its own server with these settings. */
export function describeEdges(
  title: string,
  suite: (edge: RawServer) => void,
  settings: Partial<HttpSettings> = {},
): void {
  describe(title, () => {
    const edge = new RawServer();
    before(() => edge.start(settings));
    after(() => edge.stop());
    suite(edge);
  });
}
