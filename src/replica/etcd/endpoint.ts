import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { clock } from '../../clock.ts';
import { EtcdError, errorOf } from './error.ts';

/** The CA, client certificate and key of a TLS connection, each as PEM. */
export interface TlsSettings {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** The most connections to one endpoint. */
const MAX_SOCKETS = 64;

/** The time limit for opening a connection, in milliseconds. */
const CONNECT_MS = 1_000;

/**
 * One endpoint of etcd's JSON gateway. It does not use `fetch`, because that has a time limit for
 * bodies, which would end watches on which nothing happens.
 */
export class Endpoint {
  readonly url: string;
  readonly #agent: Agent;
  readonly #isSecure: boolean;
  /** Sockets that have connected, for TLS including the handshake. */
  readonly #connected = new WeakSet<Socket>();

  constructor(url: string, tls: TlsSettings = {}) {
    this.url = url.replace(/\/$/, '');
    this.#isSecure = url.startsWith('https:');
    const options = { keepAlive: true, maxSockets: MAX_SOCKETS };
    this.#agent = this.#isSecure ? new TlsAgent({ ...options, ...tls }) : new Agent(options);
  }

  /**
   * Sends a request, and reads the whole response.
   * @param ms the time limit, in milliseconds
   * @throws EtcdError
   */
  async post<T>(path: string, body: object, token: string | undefined, ms: number): Promise<T> {
    const sent = this.#send(path, body, token);
    const timer = clock.setTimeout(() => sent.destroy(new Error(`no answer in ${ms} ms`)), ms);
    try {
      const response = await responseTo(sent);
      const text = await textOf(response);
      if (response.statusCode !== 200) throw errorOf(response.statusCode ?? 0, text);
      return JSON.parse(text);
    } catch (error) {
      throw this.#errorOf(error, sent);
    } finally {
      clock.clear(timer);
    }
  }

  /**
   * Sends a request whose response does not end.
   * @param ms the time limit until the response begins, in milliseconds
   * @throws EtcdError
   */
  async stream(
    path: string,
    body: object,
    token: string | undefined,
    ms: number,
  ): Promise<IncomingMessage> {
    const sent = this.#send(path, body, token);
    const timer = clock.setTimeout(() => sent.destroy(new Error(`no answer in ${ms} ms`)), ms);
    try {
      const response = await responseTo(sent);
      if (response.statusCode === 200) return response;
      throw errorOf(response.statusCode ?? 0, await textOf(response));
    } catch (error) {
      throw this.#errorOf(error, sent);
    } finally {
      clock.clear(timer);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(path: string, body: object, token: string | undefined): ClientRequest {
    const text = JSON.stringify(body);
    const sent = (this.#isSecure ? tlsRequest : request)(`${this.url}${path}`, {
      method: 'POST',
      agent: this.#agent,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        ...(token !== undefined && { Authorization: token }),
      },
    });
    const event = this.#isSecure ? 'secureConnect' : 'connect';
    sent.once('socket', (socket) => {
      if (!this.#connected.has(socket)) socket.once(event, () => this.#connected.add(socket));
    });
    const timer = clock.setTimeout(() => {
      if (!this.#hasConnected(sent)) sent.destroy(new Error('no connection'));
    }, CONNECT_MS);
    sent.once('close', () => clock.clear(timer));
    sent.end(text);
    return sent;
  }

  /** Whether etcd may have received anything. `bytesWritten` also counts what is still queued. */
  #hasConnected({ socket }: ClientRequest): boolean {
    return socket !== null && this.#connected.has(socket);
  }

  #errorOf(error: unknown, sent: ClientRequest): EtcdError {
    if (error instanceof EtcdError) return error;
    const outcome = this.#hasConnected(sent) ? 'unknown' : 'refused';
    return new EtcdError(outcome, `${this.url}: ${error instanceof Error ? error.message : error}`);
  }
}

function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
