import {
  isPreflight,
  isReadMethod,
  jsonResponse,
  NO_RESPONSE,
  NO_STORE,
  type Request,
  type Response,
} from '../../lib/http/index.ts';
import { byteString, exactJsonText, mapValues, parseJson } from '../../lib/json/index.ts';
import { PendingWaits } from '../../lib/pending-waits.ts';
import type { Awaitable } from '../../lib/steps.ts';
import { hasFields, matchesPattern } from '../admin/request-matching.ts';
import type { ListFeature } from '../items/item-list.ts';
import { PROBLEM_TYPE_PREFIX, serviceProblem } from '../problem-types.ts';
import type { Fault, ListedFault } from './fault.ts';
import type { ItemEdits } from './fault-targets.ts';
import { hasParameters } from './parameters.ts';

interface CountedFault {
  readonly fault: Fault;
  matches: number;
  hits: number;
}

interface FaultsOptions {
  /** Called when the faults or their hits have changed. */
  readonly onChange: () => void;
  readonly edits: ItemEdits;
}

/** The faults of a list. Of those that match a request, the first one that hits it is applied. */
export class Faults implements ListFeature {
  #faults: readonly CountedFault[] = [];
  #delays = new PendingWaits();
  readonly #options: FaultsOptions;

  constructor(faults: readonly Fault[], options: FaultsOptions) {
    this.#faults = faults.map(counted);
    this.#options = options;
  }

  /** Copies of all faults with their hits, including faults that have ended. */
  get list(): readonly ListedFault[] {
    return this.#faults.map(({ fault, hits }) => ({ ...copyOf(fault), hits }));
  }

  /** Replaces all faults, and ends the delays of the previous ones. */
  set(faults: readonly Fault[]): void {
    this.#faults = faults.map(counted);
    this.#options.onChange();
    // After a stop, no request is delayed.
    if (this.#delays.hasEnded) return;
    this.#delays.end();
    this.#delays = new PendingWaits();
  }

  /**
   * Whether a request matches a fault. `skip`, `rate` and `times` may still prevent a hit.
   * @param path the path of the request in its list
   */
  mayHit(request: Request, path: string): boolean {
    return this.#faults.some(({ fault }) => isMatch(fault, request, path));
  }

  /** Ends all present and future delays. */
  end(): void {
    this.#delays.end();
  }

  /** Responds to a request with its handler, or with the fault that hits it. */
  respond(request: Request, path: string, handle: () => Awaitable<Response>): Awaitable<Response> {
    const hit = this.#faults.find((each) => countHit(each, request, path));
    if (hit === undefined) return handle();
    this.#options.onChange();
    return this.#apply(hit.fault, request, handle);
  }

  async #apply(
    fault: Fault,
    request: Request,
    handle: () => Awaitable<Response>,
  ): Promise<Response> {
    const { delayMs, delayMaxMs, responseDelayMs, responseDelayMaxMs, edit, abort, status } = fault;
    // Those of its own faults, also if others are set before its second delay.
    const delays = this.#delays;
    if (delayMs !== undefined) await delays.sleep(drawn(delayMs, delayMaxMs), request);
    // The edit of a delay that has been ended may belong to a test that is over.
    const isEnded = delayMs !== undefined && delays.hasEnded;
    if (edit !== undefined && !isEnded) await this.#options.edits.make(request, edit);
    if (abort === 'before') return NO_RESPONSE;
    if (abort === 'reset') return { ...NO_RESPONSE, abort };
    const response =
      status === undefined ? await handle() : injectedResponse(status, fault, request);
    if (responseDelayMs !== undefined) {
      const ms = drawn(responseDelayMs, responseDelayMaxMs);
      await delays.sleep(ms, waiterFor(request, response));
    }
    if (abort === 'after') return NO_RESPONSE;
    // Empty content has no half, and is sent as it is.
    const isCut = abort === 'truncate' && response.content !== '';
    return isCut ? { ...response, cut: Promise.resolve() } : response;
  }
}

function counted(fault: Fault): CountedFault {
  return { fault, matches: 0, hits: 0 };
}

/** A random delay from `ms` to `maxMs`, in milliseconds. */
function drawn(ms: number, maxMs = ms): number {
  return maxMs > ms ? ms + Math.random() * (maxMs - ms) : ms;
}

/** Counts a request that a fault matches or hits. @returns whether it hits */
function countHit(counted: CountedFault, request: Request, path: string): boolean {
  const { fault, matches, hits } = counted;
  const { skip = 0, rate = 1, times = Number.POSITIVE_INFINITY } = fault;
  if (!isMatch(fault, request, path)) return false;
  counted.matches++;
  const isHit = matches >= skip && hits < times && (rate === 1 || Math.random() < rate);
  if (isHit) counted.hits++;
  return isHit;
}

/** Whether a request meets all conditions of a fault. */
function isMatch(fault: Fault, request: Request, path: string): boolean {
  const { requestHeaders = {}, query } = fault;
  // A preflight is not a request of the client's code.
  if (fault.method === undefined && isPreflight(request)) return false;
  const { method, template } = request;
  return (
    matchesPattern(fault, { method, path, template }) &&
    hasFields(requestHeaders, request) &&
    (query === undefined || hasParameters(query, request))
  );
}

/** The request, as it waits with a response, whose memory counts. A write keeps its response. */
function waiterFor(request: Request, response: Response) {
  return {
    wait: (end: Promise<void>) =>
      request.wait(end, { bytes: heldBytes(response), isWrite: !isReadMethod(request) }),
    onEnd: (callback: () => void) => request.onEnd(callback),
  };
}

/** The memory of the content of a response, in bytes. A long result is counted until it is sent. */
function heldBytes({ content }: Response): number {
  return typeof content === 'string' ? content.length : 0;
}

/** A copy that shares no object with the fault. */
function copyOf(fault: Fault): Fault {
  const { requestHeaders, query, edit, headers, content } = fault;
  const json = content === undefined ? undefined : exactJsonText(content);
  return {
    ...fault,
    ...(requestHeaders && { requestHeaders: { ...requestHeaders } }),
    ...(query && { query: { ...query } }),
    ...(edit && { edit: { ...edit } }),
    ...(headers && {
      headers: mapValues(headers, (value) => (typeof value === 'string' ? value : [...value])),
    }),
    ...(json !== undefined && { content: parseJson(json) }),
  };
}

/** The response of a fault. Names of header fields are sent as they are written in the fault. */
function injectedResponse(
  status: number,
  { headers = {}, content }: Pick<Fault, 'headers' | 'content'>,
  { path, knownId }: Request,
): Response {
  const response = responseWith(status, content, path);
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  // `X-Request-Id` echoes the id that the client has sent.
  const kept = Object.entries(headers).filter(
    ([name]) => knownId === undefined || name.toLowerCase() !== 'x-request-id',
  );
  return {
    ...response,
    ...(names.has('content-type') && { mediaType: undefined }),
    headers: names.has('cache-control') ? {} : NO_STORE,
    ...(kept.length > 0 && {
      extraHeaders: Object.fromEntries(kept.map(([name, value]) => [name, [value].flat()])),
    }),
  };
}

function responseWith(status: number, content: unknown, path: string): Response {
  if (typeof content === 'string') {
    return { status, mediaType: 'text/plain; charset=utf-8', content: byteString(content) };
  }
  const json = content === undefined ? undefined : exactJsonText(content);
  if (json !== undefined) return jsonResponse(status, byteString(json));
  if (status === 204 || status === 304) return { status };
  if (status < 400) return { status, content: byteString('') };
  const detail = 'Injected by a fault; nothing was done';
  return serviceProblem('injected-fault', detail, { status }).toResponse(path, PROBLEM_TYPE_PREFIX);
}
