import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { within } from './within.ts';

/** A response, parsed from its bytes. */
export interface RawResponse {
  readonly status: number;
  /** Field values by lower-case name; repeated fields are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The statuses of responses, in order. */
export function statusesOf(responses: readonly Pick<RawResponse, 'status'>[]): readonly number[] {
  return responses.map(({ status }) => status);
}

/** How a connection ended: gracefully, or by a reset. */
export type End = 'closed' | 'reset';

/** Bytes that have arrived, and that no response has used yet. */
class Received {
  #buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  push(chunk: Buffer): void {
    if (this.#end + chunk.length > this.#buffer.length) {
      const { bytes } = this;
      // Twice as long, so that each byte of a long response is copied a few times only.
      this.#buffer = Buffer.allocUnsafe(2 * (bytes.length + chunk.length));
      bytes.copy(this.#buffer);
      [this.#start, this.#end] = [0, bytes.length];
    }
    this.#end += chunk.copy(this.#buffer, this.#end);
  }

  take(count: number): void {
    this.#start += count;
  }
}

/** A client that sends exactly the given bytes, and reads responses one by one. */
export class RawClient {
  readonly socket: Socket;
  readonly #whenEnded: Promise<End>;
  readonly #received = new Received();
  #ignores = false;
  #end: End | undefined;
  #notify: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      if (this.#ignores) return;
      this.#received.push(chunk);
      this.#notify();
    });
    this.#whenEnded = new Promise((resolve) => {
      const end = (how: End) => {
        this.#end ??= how;
        resolve(this.#end);
        this.#notify();
      };
      socket.once('error', () => end('reset'));
      socket.once('end', () => end('closed'));
      socket.once('close', () => end('closed'));
    });
  }

  static connect(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawClient(socket));
      });
    });
  }

  /** Waits until the server has ended the connection. */
  get ended(): Promise<End> {
    return within('the end of the connection', this.#whenEnded);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Sends bytes; a string has one byte per character. */
  send(bytes: string | Buffer): this {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    this.socket.write(buffer);
    return this;
  }

  /**
   * Sends pieces one by one to a server in this process. Turns of the event loop after each let the
   * server read the pieces separately.
   */
  async sendApart(...pieces: readonly (string | Buffer)[]): Promise<this> {
    for (const piece of pieces) {
      this.send(piece);
      await turns(5);
    }
    return this;
  }

  /** Closes the client's side only. */
  finish(): this {
    this.socket.end();
    return this;
  }

  /**
   * Waits for the next response, including interim ones (1xx).
   * @param hasBody false for a response to HEAD, whose header describes content that does not
   * follow
   * @returns undefined if the connection ends first
   */
  async next(hasBody = true): Promise<RawResponse | undefined> {
    for (;;) {
      const { bytes } = this.#received;
      const found = parseResponse(bytes, hasBody, this.#end !== undefined);
      if (found !== undefined) this.#received.take(found.end);
      if (found !== undefined || this.#end !== undefined) return found?.response;
      await this.#change();
    }
  }

  /** Waits for a number of responses. Returns fewer if the connection ends first. */
  async take(count: number): Promise<RawResponse[]> {
    const responses: RawResponse[] = [];
    while (responses.length < count) {
      const response = await this.next();
      if (response === undefined) break;
      responses.push(response);
    }
    return responses;
  }

  /** Waits for the end of the connection, and returns all responses. */
  toEnd(): Promise<RawResponse[]> {
    return this.take(Number.POSITIVE_INFINITY);
  }

  /** Keeps reading, but discards everything. */
  ignore(): this {
    this.#ignores = true;
    this.#received.take(this.#received.bytes.length);
    return this;
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Resets the connection. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  #change(): Promise<void> {
    const received = () => JSON.stringify(this.#received.bytes.toString('latin1', 0, 500));
    const change = new Promise<void>((resolve) => {
      this.#notify = resolve;
    });
    return within(() => `more of a response than ${received()}`, change);
  }
}

/** Connects a client that disconnects when its test ends. */
export async function rawClientFor(test: TestContext, port: number): Promise<RawClient> {
  const client = await RawClient.connect(port);
  test.after(() => client.destroy());
  return client;
}

/** Waits for turns of the event loop, in which bytes sent within this process arrive. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Sends bytes on a new connection, and returns everything received until the server ends it. */
export async function exchangeBytes(
  port: number,
  bytes: string | Buffer,
): Promise<{ responses: RawResponse[]; end: End }> {
  const client = await RawClient.connect(port);
  try {
    const responses = await client.send(bytes).toEnd();
    return { responses, end: await client.ended };
  } finally {
    client.destroy();
  }
}

/** The response at the start of the bytes, and where it ends; undefined until it is complete. */
function parseResponse(
  bytes: Buffer,
  hasBody: boolean,
  ended: boolean,
): { response: RawResponse; end: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`not a status line: ${JSON.stringify(statusLine)}`);
  const headers = parseFields(lines);
  const start = headEnd + 4;
  const bodiless = !hasBody || status < 200 || status === 204 || status === 304;
  const body = bodiless ? { text: '', end: start } : parseBody(bytes, start, headers, ended);
  return body && { response: { status, headers, text: body.text }, end: body.end };
}

function parseFields(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

interface Body {
  readonly text: string;
  readonly end: number;
}

function parseBody(
  bytes: Buffer,
  start: number,
  headers: RawResponse['headers'],
  ended: boolean,
): Body | undefined {
  if (headers['transfer-encoding'] === 'chunked') return parseChunks(bytes, start);
  const declared = headers['content-length'];
  if (declared === undefined) {
    return ended ? { text: bytes.toString('utf8', start), end: bytes.length } : undefined;
  }
  const end = start + Number(declared);
  return end <= bytes.length ? { text: bytes.toString('utf8', start, end), end } : undefined;
}

function parseChunks(bytes: Buffer, start: number): Body | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (end + 2 > bytes.length) return undefined;
    if (size === 0) return { text: Buffer.concat(chunks).toString('utf8'), end: end + 2 };
    chunks.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
