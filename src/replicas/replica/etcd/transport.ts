import { Agent, type IncomingMessage, request } from 'node:http';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { loadModule } from '../../../lib/node-module.ts';
import { EtcdError } from './etcd-error.ts';

/** Returns the CA, the client certificate and its key for the next TLS connection. */
export type TlsContext = () => SecureContext;

/** The status of a response, and its body as it arrives. Reading it may throw an EtcdError. */
export interface HttpResponse extends AsyncIterable<Uint8Array> {
  readonly statusCode?: number | undefined;
}

/** Sends JSON to one server. */
export interface Transport {
  /**
   * Resolves when the head of the response has arrived.
   * @param signal ends the request, or the body of its response
   * @param token authenticates the user; absent or empty if etcd needs no token
   * @throws EtcdError `unreachable` if there was no connection to the server, else `unknown`
   */
  post(path: string, body: string, signal: AbortSignal, token?: string): Promise<HttpResponse>;
  close(): void;
}

/** Creates the transport for a URL. */
export type Connect = (url: string, tls?: TlsContext) => Transport;

/** The codes of Node's errors when there is no connection. */
const UNREACHABLE: readonly unknown[] = [
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
];

/** Connections to one server. TLS sessions are not resumed, as that shows an old certificate. */
const AGENT_OPTIONS = { keepAlive: true, maxSockets: 64, maxCachedSessions: 0 };

/** Uses `node:http`, because `fetch` limits the time of a body, which would end quiet watches. */
export const httpTransport: Connect = (url, tls) => {
  const https = url.startsWith('https:') ? loadModule('node:https') : undefined;
  const agent = https === undefined ? new Agent(AGENT_OPTIONS) : new https.Agent(AGENT_OPTIONS);
  if (https !== undefined) {
    const create = agent.createConnection.bind(agent);
    agent.createConnection = (request, callback) => {
      const options: ConnectionOptions = { secureContext: tls?.() };
      return create({ ...request, ...options }, callback);
    };
  }
  return {
    post: (path, body, signal, token) =>
      new Promise((resolve, reject) => {
        const headers: Record<string, string> = { 'Content-Type': 'application/json' };
        if (token) headers.Authorization = token;
        const failure = ({ message, code }: NodeJS.ErrnoException) => {
          // OpenSSL's messages end with a line break.
          const reason = signal.aborted ? String(signal.reason) : (message || code)?.trim();
          // A port with TLS closes the connection.
          const isHungUp = https === undefined && message === 'socket hang up';
          const hint = isHungUp ? ' (if it has TLS, use https://)' : '';
          const outcome = UNREACHABLE.includes(code) ? 'unreachable' : 'unknown';
          return new EtcdError(outcome, `${url}: ${reason}${hint}`);
        };
        const send = https?.request ?? request;
        send(`${url}${path}`, { method: 'POST', agent, signal, headers })
          .once('response', (response) => {
            const { statusCode } = response;
            resolve({ statusCode, [Symbol.asyncIterator]: () => chunksOf(response, failure) });
          })
          .on('error', (error) => reject(failure(error)))
          .end(body);
      }),
    close: () => agent.destroy(),
  };
};

async function* chunksOf(response: IncomingMessage, failure: (error: Error) => EtcdError) {
  try {
    yield* response;
  } catch (error) {
    // A response throws only errors of the connection.
    throw failure(error instanceof Error ? error : new Error(String(error)));
  }
}
