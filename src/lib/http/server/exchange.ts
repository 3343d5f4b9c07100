import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { clock } from '../../clock.ts';
import type { Steps } from '../../steps.ts';
import { FIRST_PART_BYTES, PART_BYTES } from '../messages/long-content.ts';
import { overloaded, type Problem } from '../messages/problem.ts';
import type { Request, Route, UnsitedRequest, WaitOptions } from '../messages/request.ts';
import type { ContentParts, Response } from '../messages/response.ts';
import { authorityOf, localPathOf, pathOf, Query } from '../messages/target.ts';
import {
  hasContent,
  MAX_CONTENT_BYTES,
  requestIdOf,
  traceIdOf,
} from '../request/header-section.ts';
import { NO_SITE, type PathRoutes, type Site } from '../routing/router.ts';
import type { LongJobs, ResultClient } from './long-jobs.ts';
import type { Pool } from './pool.ts';
import type { ReasonCounter } from './reason-counter.ts';
import { ClientGoneError, type Scheduler } from './scheduler.ts';

const NO_CONTENT: Buffer = Buffer.alloc(0);

/** The number of pieces of content above which they are joined. */
const MAX_PIECES = 64;

/** The memory of a request that waits, with a short header section, in bytes. */
export const REQUEST_BYTES = 4 * 1024;

/** The memory of target and header section up to which they are short, in bytes. */
const SHORT_HEAD_BYTES = 2 * 1024;

/** The length up to which content takes nothing of the pools of contents, in bytes. */
const SHORT_CONTENT_BYTES = 4 * 1024;

/** Measured with V8: what a field name or value takes besides its characters, in bytes. */
const FIELD_BYTES = 40;

/** Measured with V8: what a character of a parsed query takes, such as an operand of one digit. */
const PARSED_CHARACTER_BYTES = 12;

/** The maximum length of the content of a request for `/admin`, and the memory for all of them. */
export const MAX_ADMIN_BYTES = 1024 * 1024;

/** The processor time and the memory that the requests of a server share. */
export interface Capacity {
  readonly scheduler: Scheduler;
  readonly longJobs: LongJobs;
  /** Contents of more than 4 KiB, until they have been handled. */
  readonly contents: Pool;
  /** The same, for requests for `/admin` alone, so that other clients cannot keep them out. */
  readonly adminContents: Pool;
  /** Requests that wait: behind another one of their connection, or for an event. */
  readonly waiting: Pool;
  /** Long results, until they have been sent. */
  readonly results: Pool;
  readonly refusals: ReasonCounter;
  readonly cuts: ReasonCounter;
  /** Whether a request is for `/admin`, and has its token. */
  readonly isOfAdmin: (request: UnsitedRequest) => boolean;
}

/** A request on a connection, and its response. */
export class Exchange implements Request, ResultClient {
  readonly message: IncomingMessage;
  /** The response of `node:http`; without a socket for bytes that are not a request, and CONNECT. */
  readonly output: ServerResponse;
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly clientAddress: string | undefined;
  readonly #capacity: Capacity;
  /** Whether content follows the header section. */
  readonly hasContent: boolean;
  readonly path: string;
  localPath = '';
  query = Query.EMPTY;
  ignoresIfNoneMatch = false;
  route: Route | undefined;
  pathRoutes: PathRoutes | undefined;
  /** Why it is refused, if it is. The first refusal holds. */
  refusal: Problem | undefined;
  /** Why there is no room for it, if nothing else is wrong with it. */
  shortage: Problem | undefined;
  /** The content, once it has arrived. */
  content: Buffer = NO_CONTENT;
  readonly receivedAt = clock.now();
  knownId: string | undefined;
  /** Whether its handler has been called, even if it still works. Then it cannot be refused. */
  isHandled = false;
  /** Whether its handler has returned a promise, which is pending. */
  isDeferred = false;
  /** Whether its response has begun. */
  isBegun = false;
  /** The job or wait that handles the request, or produces the rest of its response. */
  work: Pick<Steps, 'close'> | undefined;
  /** The bytes of the response's content sent so far. */
  sentBytes = 0;
  /** The bytes of its content that have arrived. */
  arrivedBytes = 0;
  /** Whether its length, as far as it has arrived, was compared with the bytes that were read. */
  isCheckedForSmuggling = false;
  #pieces: Buffer[] = [];
  /** The limit and the callback of {@link readContent}; undefined unless it waits for content. */
  #reader: { readonly maxBytes: number; readonly onRead: (isTooLong: boolean) => void } | undefined;
  #site: Site | undefined;
  #hasEnded = false;
  /** The bytes that it has taken of each pool, and the pool of its content. */
  #contentPool: Pool | undefined;
  #contentBytes = 0;
  #waitingBytes = 0;
  #resultBytes = 0;
  /** The part of them that the job takes besides its result. */
  #workingBytes = 0;
  /** Ends its wait, with a reason unless its client has gone. */
  #abandon: ((reason?: Problem) => void) | undefined;
  /** Why its work was cancelled. */
  #cancellation: Problem | undefined;
  /** Whether it has changed something. */
  #hasWritten = false;
  #onResponse: ((response: Response) => Response)[] = [];
  #onEnd: ((sentBytes: number) => void)[] | undefined;

  /** @param address the address of the client */
  constructor(
    message: IncomingMessage,
    output: ServerResponse,
    address: string | undefined,
    capacity: Capacity,
  ) {
    this.message = message;
    this.output = output;
    this.method = message.method ?? '';
    this.target = message.url ?? '';
    this.headers = message.headers;
    this.rawHeaders = message.rawHeaders;
    this.clientAddress = address;
    this.#capacity = capacity;
    // A CONNECT has no content, whatever its fields say (RFC 9110, section 9.3.6).
    this.hasContent = hasContent(this.headers) && this.method !== 'CONNECT';
    this.path = pathOf(this.target);
    this.knownId = requestIdOf(this.headers['x-request-id']);
  }

  get site(): Site {
    return this.#site ?? NO_SITE;
  }

  get hasSite(): boolean {
    return this.#site !== undefined;
  }

  /** Event: its turn has come. Sets its site, and finds its route there. */
  setSite(site: Site): void {
    this.endWait();
    this.#site = site;
    this.localPath = localPathOf(this.path, site.basePath);
    this.pathRoutes = site.router.find(this.method, this.localPath);
    this.route = this.pathRoutes?.route(this.method);
  }

  get template(): string | undefined {
    // The template of the base path is empty, because the base path only redirects.
    return this.pathRoutes?.path || undefined;
  }

  get parameter(): string {
    return this.pathRoutes?.parameterOf(this.localPath) ?? '';
  }

  get host(): string | undefined {
    return authorityOf(this.target) ?? this.headers.host;
  }

  get id(): string {
    this.knownId ??= crypto.randomUUID();
    return this.knownId;
  }

  get traceId(): string | undefined {
    return traceIdOf(this.headers.traceparent);
  }

  get isDisconnected(): boolean {
    return this.message.socket.destroyed;
  }

  get isHalfClosed(): boolean {
    return this.message.socket.readableEnded;
  }

  /** The declared length of its content; NaN if it is sent in chunks. */
  get contentLength(): number {
    return this.hasContent ? Number(this.headers['content-length'] ?? Number.NaN) : 0;
  }

  /** Whether its client waits for a 100 before it sends content (RFC 9110, section 10.1.1). */
  get awaitsContinue(): boolean {
    return this.hasContent && Boolean(this.headers.expect) && this.message.httpVersion === '1.1';
  }

  /** Whether its content may turn out to be empty. */
  get mayBeEmpty(): boolean {
    return !this.hasContent || (Number.isNaN(this.contentLength) && !this.awaitsContinue);
  }

  /**
   * Whether its content has arrived, or is short enough to be received and dropped. Without room, it
   * has to have arrived, because its connection keeps the request until then.
   */
  get canBeSkipped(): boolean {
    const hasRoom = this.shortage === undefined;
    const isShort = hasRoom && this.contentLength <= MAX_CONTENT_BYTES && !this.awaitsContinue;
    return !this.hasContent || this.message.complete || isShort;
  }

  /** The part of its content that has arrived, such as `16 of 40 bytes`; undefined if all. */
  get progress(): string | undefined {
    if (!this.hasContent || this.message.complete) return undefined;
    const { contentLength } = this;
    const all = Number.isNaN(contentLength) ? '' : ` of ${contentLength}`;
    return `${this.arrivedBytes + this.message.readableLength}${all} bytes`;
  }

  /** Reserves room for its content before it is read. Without room, there is a `shortage`. */
  reserveContent(): void {
    if (this.#contentPool !== undefined) return;
    const { contentLength } = this;
    const headBytes = this.#longHeadBytes;
    // Content in chunks may become as long as is allowed.
    const isUnknown = Number.isNaN(contentLength);
    const knownBytes = isUnknown ? this.arrivedBytes : contentLength;
    if (knownBytes + headBytes <= SHORT_CONTENT_BYTES) return;
    const { contents, adminContents, isOfAdmin } = this.#capacity;
    const isAdmin = isOfAdmin(this);
    const most = isAdmin ? MAX_ADMIN_BYTES : MAX_CONTENT_BYTES;
    const wanted = isUnknown ? (this.route?.content?.maxBytes ?? most) : contentLength;
    const bytes = Math.min(wanted, most) + headBytes;
    const pools = isAdmin ? [adminContents, contents] : [contents];
    this.#contentPool = pools.find((pool) => pool.take(bytes));
    if (this.#contentPool) this.#contentBytes = bytes;
    else this.shortage ??= overloaded('contents', 'Too many clients send long content');
  }

  #releaseContent(): void {
    this.content = NO_CONTENT;
    this.#pieces = [];
    this.#contentPool?.giveBack(this.#contentBytes);
    this.#contentPool = undefined;
    this.#contentBytes = 0;
  }

  /** Whether other clients want the room of its content. */
  get blocksOthers(): boolean {
    return this.#contentPool?.isWanted ?? false;
  }

  /** Reserves room for it to wait. Without room, there is a `shortage`. */
  reserveWait(bytes = Math.min(this.contentLength || 0, SHORT_CONTENT_BYTES)): void {
    const all = REQUEST_BYTES + this.#longHeadBytes + bytes;
    if (this.#capacity.waiting.take(all)) this.#waitingBytes = all;
    else this.shortage ??= overloaded('waiting', 'Too many requests are waiting');
  }

  takeWait(): boolean {
    this.reserveWait();
    const isTaken = this.shortage === undefined;
    this.shortage = undefined;
    return isTaken;
  }

  /** The memory of its target and header section, beyond that of a short one, in bytes. */
  get #longHeadBytes(): number {
    let bytes = PARSED_CHARACTER_BYTES * this.target.length;
    for (const text of this.rawHeaders) bytes += FIELD_BYTES + text.length;
    return Math.max(0, bytes - SHORT_HEAD_BYTES);
  }

  endWait(): void {
    if (this.#waitingBytes > 0) this.#capacity.waiting.giveBack(this.#waitingBytes);
    this.#waitingBytes = 0;
  }

  /** Event: a piece of content has arrived. */
  addPiece(piece: Buffer): void {
    this.arrivedBytes += piece.length;
    if (this.refusal !== undefined || this.#hasEnded) return;
    this.reserveContent();
    if (this.shortage !== undefined) {
      this.#checkContent();
      return;
    }
    if (this.#pieces.push(piece) > MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
    this.#checkContent();
  }

  /**
   * Its turn has come. Calls back when its content has arrived, or is longer than a limit, for which
   * the caller refuses it.
   * @param maxBytes the limit
   */
  readContent(maxBytes: number, onRead: (isTooLong: boolean) => void): void {
    if (this.awaitsContinue) this.output.writeContinue();
    this.#reader = { maxBytes, onRead };
    this.#checkContent();
  }

  /** Event: all content has arrived. */
  endContent(): void {
    // Also if it waits, because small pieces take more memory.
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    this.#checkContent();
  }

  /** Calls back if all content has arrived, if it is too long, or if there is no room for it. */
  #checkContent(): void {
    if (this.#reader === undefined || this.refusal !== undefined) return;
    const { maxBytes, onRead } = this.#reader;
    const isTooLong = this.arrivedBytes > maxBytes;
    if (!isTooLong && !this.message.readableEnded && this.shortage === undefined) return;
    this.#reader = undefined;
    const [content = NO_CONTENT] = this.#pieces;
    if (!isTooLong) this.content = content;
    this.#pieces = [];
    onRead(isTooLong);
  }

  /** Refuses it, unless it was refused before, and drops its content. */
  refuse(problem: Problem): void {
    this.refusal ??= problem;
    this.#releaseContent();
  }

  async run<R>(steps: Steps<unknown, R>): Promise<R> {
    const running = this.#capacity.scheduler.run(steps, this);
    // While a response is sent in parts, the sender has set `work`.
    if (this.isBegun) return running;
    this.work = steps;
    const result = await running;
    // Its work has been closed.
    if (this.#hasEnded) throw new ClientGoneError();
    this.work = undefined;
    return result;
  }

  runLong<W extends ContentParts>(make: () => W, workingBytes: number): Promise<W> {
    return this.#capacity.longJobs.run(make, this, workingBytes);
  }

  takeResult(workingBytes: number): boolean {
    // Of a job that went before, and made the content for this one.
    this.endJob(0);
    const isTaken = this.#capacity.results.take(FIRST_PART_BYTES + workingBytes);
    if (isTaken) this.#workingBytes = workingBytes;
    if (isTaken) this.#resultBytes = FIRST_PART_BYTES + workingBytes;
    return isTaken;
  }

  endJob(bytes: number): void {
    this.#workingBytes = 0;
    this.#shrinkResult(bytes);
  }

  /** Event: the first part of its long result has been sent. Later ones are shorter. */
  endFirstPart(): void {
    this.#shrinkResult(PART_BYTES + this.#workingBytes);
  }

  #shrinkResult(bytes: number): void {
    const excess = this.#resultBytes - bytes;
    if (excess <= 0) return;
    this.#resultBytes = bytes;
    this.#capacity.results.giveBack(excess);
  }

  /** The memory of its long result and of the job that makes it, in bytes. */
  get resultBytes(): number {
    return this.#resultBytes;
  }

  onAbandon(abandon: (reason?: Problem) => void): void {
    this.#abandon = abandon;
  }

  /** Throws if its client has gone, or its work was cancelled. */
  throwIfCancelled(): void {
    if (this.isDisconnected) throw new ClientGoneError();
    if (this.#cancellation !== undefined) throw this.#cancellation;
  }

  /** Ends its work with a problem, unless it has changed something, or its response has begun. */
  cancel(problem: Problem): void {
    if (this.isBegun || this.#hasWritten || !this.isDeferred) return;
    this.#cancellation = problem;
    this.#abandon?.(problem);
  }

  /** Calls back now, or in the queue of long work unless its client has gone by then. */
  callInTurn(callback: () => void): void {
    const cancel = this.#capacity.scheduler.call(() => {
      this.work = undefined;
      callback();
    });
    if (cancel !== undefined) this.work = { close: cancel };
  }

  async wait(end: Promise<void>, { bytes = 0, isWrite = false }: WaitOptions = {}): Promise<void> {
    this.throwIfCancelled();
    this.#hasWritten ||= isWrite;
    this.reserveWait(bytes + (this.#contentBytes > 0 ? 0 : this.content.length));
    const { shortage } = this;
    this.shortage = undefined;
    if (shortage !== undefined && !isWrite) throw shortage;
    await Promise.race([end, new Promise<void>((resolve) => this.onAbandon(() => resolve()))]);
    this.#abandon = undefined;
    this.endWait();
    this.throwIfCancelled();
  }

  onResponse(map: (response: Response) => Response): void {
    this.#onResponse.push(map);
  }

  /** Event: there is a response. Returns the callbacks that asked for it, the last one first. */
  takeResponseMaps(): readonly ((response: Response) => Response)[] {
    const maps = this.#onResponse.reverse();
    this.#onResponse = [];
    return maps;
  }

  onEnd(callback: (sentBytes: number) => void): void {
    this.#onEnd ??= [];
    this.#onEnd.push(callback);
  }

  /** Event: its handler has responded, so its content is no longer needed. */
  endHandling(): void {
    this.isDeferred = false;
    this.#releaseContent();
    if (this.#hasEnded) this.#forget();
  }

  /** Event: its response was sent, or its connection has closed. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // Not when the scheduler comes to it, because many clients may have gone at once.
    this.work?.close?.();
    this.work = undefined;
    this.#abandon?.();
    this.endWait();
    this.endJob(0);
    this.#reader = undefined;
    for (const callback of this.#onEnd ?? []) callback(this.sentBytes);
    // Unfinished work may still use the content.
    if (!this.isDeferred) this.#forget();
  }

  /** Frees what it holds, because its connection keeps the exchange until the next request. */
  #forget(): void {
    this.#releaseContent();
    this.#site = undefined;
    this.#onEnd = undefined;
  }
}
