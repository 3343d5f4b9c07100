import type { Interceptor, Request } from '../../lib/http/index.ts';
import { parseJson } from '../../lib/json/index.ts';
import { PendingWaits } from '../../lib/pending-waits.ts';
import { patternSubject } from '../admin/request-matching.ts';
import type { ListFeature } from '../items/item-list.ts';
import { serviceProblem } from '../problem-types.ts';
import { CombinedFaults } from './combined-faults.ts';
import { CountedFault } from './counted-fault.ts';
import type { ListedFault } from './fault.ts';
import { faultJson, type StoredFault } from './stored-fault.ts';

/** The bytes of the JSON of the faults of all lists, except those of `FAULTS`, which lists share. */
export interface FaultMemory {
  bytes: number;
  readonly maxBytes: number;
}

interface FaultsOptions {
  /** Called when the faults or their hits have changed. */
  readonly onChange: () => void;
  readonly memory: FaultMemory;
}

/** The faults of a list. */
export class Faults implements ListFeature {
  #faults: readonly CountedFault[] = [];
  /** The bytes that they take of the memory. */
  #bytes = 0;
  #delays = new PendingWaits();
  readonly #options: FaultsOptions;

  /** @param initial the faults of `FAULTS` */
  constructor(initial: readonly StoredFault[], options: FaultsOptions) {
    this.#faults = initial.map((fault) => new CountedFault(fault));
    this.#options = options;
  }

  /** The JSON text of all faults with their hits, including faults that have ended. */
  get json(): string {
    return `[${this.#faults.map(({ json }) => json)}]`;
  }

  /** Copies of all faults with their hits. */
  get list(): readonly ListedFault[] {
    // The text is that of valid faults.
    return parseJson(this.json) as readonly ListedFault[];
  }

  /** Replaces all faults, and ends the delays of the previous ones. @throws Problem `store-full` */
  set(faults: readonly StoredFault[]): void {
    const { memory } = this.#options;
    const bytes = faults.reduce((sum, fault) => sum + Buffer.byteLength(faultJson(fault)), 0);
    if (bytes > this.#bytes && memory.bytes - this.#bytes + bytes > memory.maxBytes) {
      const detail = `The faults of all lists have at most ${memory.maxBytes} bytes; remove some`;
      throw serviceProblem('store-full', detail);
    }
    this.#faults = faults.map((fault) => new CountedFault(fault));
    this.#options.onChange();
    // An old list has given its memory back. After a stop, no request is delayed.
    if (this.#delays.hasEnded) return;
    memory.bytes += bytes - this.#bytes;
    this.#bytes = bytes;
    this.#delays.end();
    this.#delays = new PendingWaits();
  }

  /**
   * Whether a request meets all conditions of a fault.
   * @param path the path of the request in its list
   */
  mayHit(request: Request, path: string): boolean {
    const subject = patternSubject(request, path);
    return this.#faults.some((fault) => fault.isMatch(request, subject));
  }

  /** Ends all present and future delays. */
  end(): void {
    this.#delays.end();
    this.#options.memory.bytes -= this.#bytes;
    this.#bytes = 0;
  }

  /** The function that responds to a request by the faults that hit it; undefined if none does. */
  interceptorFor(request: Request, path: string): ReturnType<Interceptor> {
    const hit = this.#hit(request, path);
    if (hit.length === 0) return undefined;
    const { onChange } = this.#options;
    const combined = new CombinedFaults(hit, { request, delays: this.#delays, onChange });
    return (handle) => combined.respond(handle);
  }

  /** The faults that hit a request, in their order. Counts their matches and hits. */
  #hit(request: Request, path: string): readonly CountedFault[] {
    const hit: CountedFault[] = [];
    if (this.#faults.length === 0) return hit;
    const subject = patternSubject(request, path);
    for (const each of this.#faults) {
      if (each.hasOutcome && hit.some(({ hasOutcome }) => hasOutcome)) continue;
      if (!each.isMatch(request, subject) || !each.countMatch()) continue;
      hit.push(each);
      if (each.fault.pass) break;
    }
    // A fault with a patch has its hit when it has patched a response.
    const counted = hit.filter(({ isPatch }) => !isPatch);
    for (const each of counted) each.countHit();
    if (counted.length > 0) this.#options.onChange();
    return hit;
  }
}
