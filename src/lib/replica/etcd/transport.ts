import { Agent, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { clock } from '../../clock.ts';
import { EtcdError } from './error.ts';

/** The CA, client certificate and key of a TLS connection, each as PEM. */
export type TlsSettings = Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;

/** The head of a response, and its body as it arrives. */
export interface HttpResponse extends AsyncIterable<Uint8Array> {
  readonly statusCode?: number | undefined;
}

/** Sends JSON to one server. */
export interface Transport {
  readonly url: string;
  /**
   * Gives the response when its head has arrived.
   * @param signal gives up: what has not arrived yet fails
   * @param token of the user; absent or empty if none is needed
   * @throws EtcdError `refused` if the server cannot have received anything, else `unknown`
   */
  post(path: string, body: string, signal: AbortSignal, token?: string): Promise<HttpResponse>;
  close(): void;
}

/** Makes the transport for a URL. */
export type Connect = (url: string, tls?: TlsSettings) => Transport;

/** The maximum number of connections to one server. */
const MAX_SOCKETS = 64;

/** The time limit for opening a connection, in milliseconds. */
const CONNECT_MS = 1_000;

/** HTTP through Node. The time limit that `fetch` has for bodies would end quiet watches. */
export const httpTransport: Connect = (url, tls) => {
  const isSecure = url.startsWith('https:');
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const agent = isSecure ? new TlsAgent({ ...options, ...tls }) : new Agent(options);
  /** Sockets that have connected, for TLS including the handshake. */
  const connected = new WeakSet<Socket>();

  return {
    url,
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
          if (!hasConnected()) sent.destroy(new Error('no connection'));
        }, CONNECT_MS);
        sent.once('close', () => clock.clear(timer));
        sent.once('response', resolve);
        sent.on('error', ({ message }) => {
          const outcome = hasConnected() ? 'unknown' : 'refused';
          reject(new EtcdError(outcome, `${url}: ${signal.reason ?? message}`));
        });
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
};
