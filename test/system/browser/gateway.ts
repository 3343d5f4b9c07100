import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { listen } from './listen.ts';

/** The changes of a gateway to requests and responses. */
export interface GatewayOptions {
  /** The path prefix that it removes; requests without it get 404. */
  readonly prefix?: string;
  /** Changes the entity tag of each response. */
  readonly tag?: (tag: string) => string;
}

/** Starts a gateway before a service, for the duration of the test, and returns its address. */
export async function gatewayTo(
  test: TestContext,
  baseUrl: string,
  { prefix = '', tag = (given) => given }: GatewayOptions,
): Promise<string> {
  const server = createServer((incoming, response) => {
    const path = String(incoming.url);
    if (!path.startsWith(prefix)) response.writeHead(404).end('The gateway knows no such path.');
    else pass(incoming, response, new URL(path.slice(prefix.length) || '/', baseUrl));
  });

  function pass(incoming: IncomingMessage, response: ServerResponse, target: URL): void {
    const { method, headers } = incoming;
    const outgoing = request(target, { method, headers }, (answer) => {
      const { etag, ...others } = answer.headers;
      const all = etag === undefined ? others : { ...others, etag: tag(etag) };
      response.writeHead(answer.statusCode ?? assert.fail('no status'), all);
      response.flushHeaders();
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  return listen(test, server);
}
