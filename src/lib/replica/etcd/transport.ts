import { Agent, type IncomingMessage, request } from 'node:http';
import type { Agent as TlsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { loadModule } from '../../lazy.ts';
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
   * @throws EtcdError `unsent` if the server cannot have received anything, else `unknown`
   */
  post(path: string, body: string, signal: AbortSignal, token?: string): Promise<HttpResponse>;
  close(): void;
}

/** Creates the transport for a URL. */
export type Connect = (url: string, tls?: TlsContext) => Transport;

/** The maximum number of connections to one server. */
const MAX_SOCKETS = 64;

/** Uses `node:http`, because `fetch` limits the time of a body, which would end quiet watches. */
export const httpTransport: Connect = (url, tls) => {
  const isSecure = url.startsWith('https:');
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, maxCachedSessions: 0 };
  const agent = isSecure ? tlsAgent(options, tls) : new Agent(options);
  /** Sockets that have connected, for TLS including the handshake. */
  const connected = new WeakSet<Socket>();

  return {
    post: (path, body, signal, token) =>
      new Promise((resolve, reject) => {
        const headers: Record<string, string | number> = {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        };
        if (token) headers.Authorization = token;
        const send = isSecure ? loadModule('node:https').request : request;
        const clientRequest = send(`${url}${path}`, { method: 'POST', agent, signal, headers });
        // Not `bytesWritten`, which also counts queued bytes, and not `reusedSocket`, which is
        // false if the request has waited for the socket.
        clientRequest.once('socket', (socket) => {
          const event = isSecure ? 'secureConnect' : 'connect';
          if (!connected.has(socket)) socket.once(event, () => connected.add(socket));
        });
        const hasConnected = () =>
          clientRequest.socket !== null && connected.has(clientRequest.socket);
        const failure = (error: NodeJS.ErrnoException) => {
          const outcome = hasConnected() ? 'unknown' : 'unsent';
          // OpenSSL's messages end with a line break.
          const reason = signal.aborted ? String(signal.reason) : error.message || error.code;
          return new EtcdError(outcome, `${url}: ${reason?.trim()}`, { cause: error });
        };
        clientRequest.once('response', (response) => {
          const { statusCode } = response;
          resolve({ statusCode, [Symbol.asyncIterator]: () => chunksOf(response, failure) });
        });
        clientRequest.on('error', (error) => reject(failure(error)));
        clientRequest.end(body);
      }),
    close: () => agent.destroy(),
  };
};

/** Without TLS sessions, because a resumed connection would show the previous certificate. */
function tlsAgent(options: object, tls: TlsContext | undefined): TlsAgent {
  const agent = new (loadModule('node:https').Agent)(options);
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (request, callback) => {
    const options: ConnectionOptions = { secureContext: tls?.() };
    return create({ ...request, ...options }, callback);
  };
  return agent;
}

async function* chunksOf(response: IncomingMessage, failure: (error: Error) => EtcdError) {
  try {
    yield* response;
  } catch (error) {
    // A response throws only errors of the connection.
    throw failure(error instanceof Error ? error : new Error(String(error)));
  }
}
