import assert from 'node:assert/strict';
import { longResponse } from '../../../../../../src/lib/http/core/long-content.ts';
import type { Middleware, Request } from '../../../../../../src/lib/http/core/request.ts';
import { jsonResponse, type Response } from '../../../../../../src/lib/http/core/response.ts';
import type { HttpServer } from '../../../../../../src/lib/http/server/server.ts';
import { byteString } from '../../../../../../src/lib/json/byte-string.ts';
import { RawClient, type RawResponse, turns } from '../../../../../support/raw.ts';
import { inParts, route } from '../../../../../support/route.ts';
import { startServer } from '../../../../../support/server.ts';
import type { Random } from '../../../table/support/random.ts';
import { type Conversation, conversation } from './conversation.ts';

const tokenOf = ({ target }: Request) => target.split('?')[1] ?? '';

/** A server, and how often each request has been handled. */
export class World {
  readonly handled = new Map<string, number>();
  readonly #random: Random;
  #server: HttpServer | undefined;
  #port = 0;
  /** Whether the server stops: it may then serve less. */
  #isStopping = false;

  constructor(random: Random) {
    this.#random = random;
  }

  get server(): HttpServer {
    assert(this.#server);
    return this.#server;
  }

  async start(middleware: readonly Middleware[] = []): Promise<void> {
    const respond = (request: Request, close = false): Response => {
      const token = tokenOf(request);
      this.handled.set(token, (this.handled.get(token) ?? 0) + 1);
      return { ...jsonResponse(200, byteString(token)), close };
    };
    const later = (request: Request) => turns(this.#random.below(8)).then(() => respond(request));
    const routes = [
      route('GET', '/now', (request) => respond(request)),
      route('GET', '/later', later),
      route('GET', '/last', (request) => respond(request, true)),
      route('GET', '/throws', () => {
        throw new TypeError('a fault');
      }),
      route('GET', '/steps', (request) => {
        respond(request);
        const parts = [...tokenOf(request)].map((letter) => byteString(letter));
        return longResponse(request, 200, inParts(parts.values()));
      }),
      route(
        'POST',
        '/echo',
        (request) => {
          const text = request.content.toString();
          assert(text.startsWith(tokenOf(request)), 'content is that of its request');
          return this.#random.chance(2) ? later(request) : respond(request);
        },
        { content: { mediaTypes: ['text/plain'] } },
      ),
    ];
    const { server, port } = await startServer(routes, {}, middleware);
    this.#server = server;
    this.#port = port;
  }

  /** Plays conversations at the same time. */
  async play(count: number, name: string): Promise<void> {
    const all = Array.from({ length: count }, (_, i) => conversation(this.#random, `${name}-${i}`));
    await Promise.all(all.map((each) => this.#playOne(each)));
  }

  /** Plays conversations while the server stops, after some turns of the event loop. */
  async stopAmid(count: number, name: string): Promise<void> {
    this.#isStopping = true;
    const playing = this.play(count, name);
    await turns(this.#random.below(60));
    assert(await this.server.drain(5_000), 'the server drains in time');
    await playing;
    const { clients: memory } = this.server;
    for (let i = 0; i < 200 && memory.total > 0; i++) await turns(10);
    assert.equal(memory.total, 0, 'bytes are counted after a stop');
  }

  async #playOne(said: Conversation): Promise<void> {
    const client = await RawClient.connect(this.#port).catch((error) => {
      if (!this.#isStopping) throw error;
    });
    if (client === undefined) return;
    const { sent, pieces, ending } = said;
    const isAway = ending === 'reset' || ending === 'destroy';
    const responses = isAway ? Promise.resolve([]) : this.#responsesTo(client, said);
    for (const piece of pieces) {
      if (!client.socket.writable) break;
      client.send(piece);
      if (this.#random.chance(3)) await turns(this.#random.below(4));
    }
    if (ending === 'half-close' || ending === 'cut') client.finish();
    if (isAway) await turns(this.#random.below(6));
    if (ending === 'reset') client.reset();
    try {
      this.#check(said, await responses);
    } catch (error) {
      const text = JSON.stringify({ ending, sent: sent.map(({ bytes }) => bytes.slice(0, 200)) });
      throw new Error(`${error}: ${text}`, { cause: error });
    } finally {
      client.destroy();
    }
  }

  async #responsesTo(client: RawClient, { sent, ending }: Conversation): Promise<RawResponse[]> {
    const isOpen = ending === 'silence' && !this.#isStopping && sent.at(-1)?.isLast === false;
    return isOpen ? client.take(sent.length) : client.toEnd();
  }

  /** Each request is answered once and in order, and nothing after the last one. */
  #check({ sent, ending }: Conversation, responses: readonly RawResponse[]): void {
    if (ending === 'reset' || ending === 'destroy') return;
    const isCut = ending === 'bad bytes' || ending === 'cut';
    for (const [i, { status, token }] of sent.entries()) {
      const response = responses[i];
      if (response === undefined && this.#isStopping) return;
      assert(response, `request ${i} of ${sent.length} has a response`);
      assert.equal(response.status, status, response.text);
      if (token !== undefined) assert.equal(response.text, token);
    }
    const more = responses.slice(sent.length);
    assert(more.length <= (isCut && !sent.at(-1)?.isLast ? 1 : 0), `${more.length} more responses`);
    for (const { status } of more) assert.equal(status, 400);
    for (const { headers } of responses.slice(0, -1)) assert.notEqual(headers.connection, 'close');
  }

  /** Nothing is counted once all clients have gone, and nothing has been handled twice. */
  async end(): Promise<void> {
    const { clients: memory } = this.server;
    for (let i = 0; i < 200 && memory.total > 0; i++) await turns(10);
    assert.equal(memory.total, 0, 'bytes are counted for clients that have gone');
    for (const [token, times] of this.handled) assert.equal(times, 1, token);
    assert(await this.server.drain(5_000), 'the server drains');
  }
}
