import { nextTurn } from '../../lib/clock.ts';
import {
  isReadMethod,
  NO_RESPONSE,
  NO_STORE,
  type Request,
  type Response,
  withReadPreconditions,
} from '../../lib/http/index.ts';
import type { PendingWaits } from '../../lib/pending-waits.ts';
import { type Awaitable, runToEnd } from '../../lib/steps.ts';
import { PATCHING_BYTES, PatchedContent, patchableContentOf } from './content-patch.ts';
import type { CountedFault } from './counted-fault.ts';
import { injectedResponse, withFaultFields } from './fault-response.ts';
import { type StoredFault, valueOfText } from './stored-fault.ts';

const AT_ONCE = Promise.resolve();

interface CombinedOptions {
  readonly request: Request;
  /** The delays of these faults, which end when others are set. */
  readonly delays: PendingWaits;
  /** Called when the hits of the faults have changed. */
  readonly onChange: () => void;
}

/** The faults that hit a request, which are applied together (testing.md: "Faults"). */
export class CombinedFaults {
  readonly #all: readonly CountedFault[];
  readonly #options: CombinedOptions;
  /** Whether the client has sent an id. Later, the request may have one for the log. */
  readonly #hasId: boolean;

  constructor(all: readonly CountedFault[], options: CombinedOptions) {
    this.#all = all;
    this.#options = options;
    this.#hasId = options.request.knownId !== undefined;
  }

  /** Responds with a handler, before and after which the faults act. */
  async respond(handle: () => Awaitable<Response>): Promise<Response> {
    const injected = await this.before();
    return this.transform(injected ?? (await handle()));
  }

  /** Waits. @returns the response in place of that of the handler, if any */
  async before(): Promise<Response | undefined> {
    const { request, delays } = this.#options;
    const ms = this.#total('delayMs', 'delayMaxMs');
    if (ms > 0) await delays.sleep(ms, request);
    const { abort, status, content } = outcomeOf(this.#all);
    if (abort === 'before') return NO_RESPONSE;
    if (abort === 'reset') return { ...NO_RESPONSE, abort };
    if (status !== undefined) return injectedResponse(status, content, request.path);
    const isPatched = this.#all.some(({ isPatch }) => isPatch);
    request.ignoresIfNoneMatch = isPatched && isReadMethod(request);
    return undefined;
  }

  /** Delays and changes a response, that of the handler or an injected one. */
  async transform(response: Response): Promise<Response> {
    if (response.abort !== undefined) return response;
    const { delays } = this.#options;
    const ms = this.#total('responseDelayMs', 'responseDelayMaxMs', this.#mayPatch(response));
    if (ms > 0) await delays.sleep(ms, this.#waiter(heldBytes(response)));
    if (outcomeOf(this.#all).abort === 'after') return NO_RESPONSE;
    const { patched, applied } = await this.#patch(response);
    const headers = applied.map(({ fault }) => valueOfText(fault.headers, {}));
    const changed = withFaultFields(patched, headers, this.#hasId);
    const { abort } = outcomeOf(applied);
    // A response without content cannot be cut.
    if (abort === undefined || isEmpty(changed)) return changed;
    if (abort === 'truncate') return { ...changed, cut: AT_ONCE };
    const end = delays.until(() => false, undefined, this.#waiter(0, true));
    // It is rejected within this turn if no place is free.
    await Promise.race([end, nextTurn()]);
    return { ...changed, cut: end.catch(() => {}) };
  }

  /**
   * The sum of the delays of the faults, each drawn from its range, in milliseconds.
   * @param withPatches whether those that patch content count
   */
  #total(
    least: 'delayMs' | 'responseDelayMs',
    most: 'delayMaxMs' | 'responseDelayMaxMs',
    withPatches = true,
  ): number {
    const faults = withPatches ? this.#all : this.#all.filter(({ isPatch }) => !isPatch);
    return faults.reduce((sum, { fault: { [least]: min = 0, [most]: max = min } }) => {
      return sum + (max > min ? min + Math.random() * (max - min) : min);
    }, 0);
  }

  /** Whether a response is one that faults patch, as far as is known before it is made. */
  #mayPatch(response: Response): boolean {
    return outcomeOf(this.#all).status === undefined && patchableContentOf(response) !== undefined;
  }

  /**
   * The request as it waits with its response. A write keeps its response.
   * @param keepsResult whether some of it is sent meanwhile
   */
  #waiter(bytes: number, keepsResult = false) {
    const { request } = this.#options;
    const isWrite = !isReadMethod(request);
    return {
      wait: (end: Promise<void>) => request.wait(end, { bytes, isWrite, keepsResult }),
      onEnd: (callback: () => void) => request.onEnd(callback),
    };
  }

  /**
   * Patches a response of the handler. A fault that patches it has a hit.
   * @returns the faults to apply: those that have patched it, or have no patch
   */
  async #patch(response: Response) {
    const { request, onChange } = this.#options;
    const content = this.#mayPatch(response) ? patchableContentOf(response) : undefined;
    const faults = this.#all.filter(({ isPatch, isLeft }) => isPatch && isLeft);
    const isApplied = ({ isPatch }: CountedFault) => !isPatch;
    if (faults.length === 0 || content === undefined) {
      return { patched: this.#unpatched(response), applied: this.#all.filter(isApplied) };
    }
    const patches = faults.map(({ fault }) => valueOfText(fault.contentPatch, {}));
    const made = new PatchedContent(content, patches);
    // Before the first wait, so that others do not exceed `times` meanwhile. Taken back below.
    for (const fault of faults) fault.countHit();
    try {
      // Frees its content while it waits for permits. It is made again.
      made.restart();
      // A write keeps its response, which is short.
      if (isReadMethod(request)) await request.runLong(() => made, PATCHING_BYTES);
      else runToEnd(made);
    } finally {
      for (const [index, fault] of faults.entries())
        if (!made.applied.has(index)) fault.countHit(-1);
    }
    const hit = faults.filter((_, index) => made.applied.has(index));
    const applied = this.#all.filter((each) => isApplied(each) || hit.includes(each));
    const unchanged = { ...response, content: made.isLast ? made.part : made };
    if (hit.length === 0) return { patched: this.#unpatched(unchanged), applied };
    onChange();
    const { ETag: _, ...headers } = response.headers ?? {};
    return { patched: { ...unchanged, headers: { ...headers, ...NO_STORE } }, applied };
  }

  /** A response without a hit, which may be 304, before other faults change its fields. */
  #unpatched(response: Response): Response {
    const { request } = this.#options;
    request.ignoresIfNoneMatch = false;
    return withReadPreconditions(response, request);
  }
}

/** The first fault that decides the outcome. */
function outcomeOf(faults: readonly CountedFault[]): StoredFault {
  return faults.find(({ hasOutcome }) => hasOutcome)?.fault ?? {};
}

/** The memory of the content of a response, in bytes. A long result is counted until it is sent. */
function heldBytes({ content }: Response): number {
  return typeof content === 'string' ? content.length : 0;
}

function isEmpty({ content }: Response): boolean {
  const isWhole = typeof content === 'string' || Buffer.isBuffer(content);
  return content === undefined || (isWhole && content.length === 0);
}
