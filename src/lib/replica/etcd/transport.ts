import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { type ConnectionOptions, type SecureContext, TLSSocket } from 'node:tls';
import { clock } from '../../clock.ts';
import { EtcdError, StoreError } from '../errors.ts';

/** Gives the CA, the client certificate and its key for the next TLS connection. */
export type TlsContext = () => SecureContext;

/** The head of a response, and its body as it arrives. Reading it may throw an EtcdError. */
export interface HttpResponse extends AsyncIterable<Uint8Array> {
  readonly statusCode?: number | undefined;
}

/** Sends JSON to one server. */
export interface Transport {
  /**
   * Gives the response when its head has arrived.
   * @param signal gives up: what has not arrived yet fails
   * @param token of the user; absent or empty if none is needed
   * @throws EtcdError `unsent` if the server cannot have received anything, else `unknown`
   */
  post(path: string, body: string, signal: AbortSignal, token?: string): Promise<HttpResponse>;
  close(): void;
}

/** Makes the transport for a URL. */
export type Connect = (url: string, tls?: TlsContext) => Transport;

/** The maximum number of connections to one server. */
const MAX_SOCKETS = 64;

/** The time limit for opening a connection, in milliseconds. */
const CONNECT_MS = 1_000;

/** HTTP through Node. The time limit that `fetch` has for bodies would end quiet watches. */
export const httpTransport: Connect = (url, tls) => {
  const isSecure = url.startsWith('https:');
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, maxCachedSessions: 0 };
  const agent = isSecure ? tlsAgent(options, tls) : new Agent(options);
  /** Sockets that have connected, for TLS including the handshake. */
  const connected = new WeakSet<Socket>();

  return {
    post: (path, body, signal, token) =>
      new Promise((resolve, reject) => {
        const sent = (isSecure ? tlsRequest : request)(`${url}${path}`, {
          ...{ method: 'POST', agent, signal },
          headers: {
            ...{ 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
            ...(token && { Authorization: token }),
          },
        });
        // `bytesWritten` also counts what is still queued; `reusedSocket` is false if the request
        // has waited for the socket.
        sent.once('socket', (socket) => {
          const event = isSecure ? 'secureConnect' : 'connect';
          if (!connected.has(socket)) socket.once(event, () => connected.add(socket));
        });
        const hasConnected = () => sent.socket !== null && connected.has(sent.socket);
        const timer = clock.setTimeout(() => {
          if (!hasConnected()) sent.destroy(new EtcdError('unsent', 'no connection', 'silent'));
        }, CONNECT_MS);
        const failure = (error: Error) => {
          const { kind, message } = cause(error, sent, signal);
          return new EtcdError(hasConnected() ? 'unknown' : 'unsent', `${url}: ${message}`, kind);
        };
        sent.once('close', () => clock.clear(timer));
        sent.once('response', (response) => {
          const { statusCode } = response;
          resolve({ statusCode, [Symbol.asyncIterator]: () => chunksOf(response, failure) });
        });
        sent.on('error', (error) => reject(failure(error)));
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
};

/** Without TLS sessions: a connection that resumes one would show the former certificate. */
function tlsAgent(options: object, tls: TlsContext | undefined): TlsAgent {
  const agent = new TlsAgent(options);
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

/** What has ended a request, without the paths of sources that OpenSSL puts into messages. */
function cause(error: NodeJS.ErrnoException, { socket }: ClientRequest, signal: AbortSignal) {
  if (signal.aborted) return new StoreError(String(signal.reason), 'silent');
  if (error instanceof EtcdError) return error;
  const { code = '', message } = error;
  const ofOpenSsl = /error:[0-9A-F]+:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1];
  const isUntrusted = socket instanceof TLSSocket && Boolean(socket.authorizationError);
  if (ofOpenSsl !== undefined || isUntrusted || /^ERR_(?:SSL|TLS|OSSL)_/.test(code)) {
    return new StoreError(ofOpenSsl ?? message, 'TLS');
  }
  if (code === 'ECONNRESET') return new StoreError('the connection has ended');
  const kind = code === 'ECONNREFUSED' ? 'refused' : code === 'ETIMEDOUT' ? 'silent' : 'other';
  return new StoreError(message || code, kind);
}
