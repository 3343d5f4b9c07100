import { isPreflight, type Middleware, type Request } from '../../../lib/http/index.ts';
import type { JsonObject } from '../../../lib/json/index.ts';
import { Waits } from '../../../lib/waits.ts';
import type { Fault, ListedFault } from './fault.ts';
import { checkedFaultList, partsOf } from './fault-list.ts';
import { type FaultMembers, faultMembers } from './fault-members.ts';
import type { KnownPaths } from './scope.ts';

interface CountedFault {
  readonly fault: Fault;
  readonly parts: ReturnType<typeof partsOf>;
  matches: number;
  hits: number;
}

/** The current faults. The first fault that matches and hits a request is applied. */
export class Faults {
  readonly members: FaultMembers;
  #faults: readonly CountedFault[] = [];
  #delays = new Waits();

  /** @param checkReset throws the problem of a request from before the last reset */
  constructor(paths: KnownPaths, checkReset: (request: Request) => void) {
    this.members = faultMembers(paths, async (ms, request) => {
      await this.#delays.sleep(ms, request);
      checkReset(request);
    });
  }

  /** Checks an object with a list of faults. @returns a copy @throws Problem with all violations */
  check(given: JsonObject): readonly Fault[] {
    return checkedFaultList(given, this.members);
  }

  /** All faults with their hits, including faults that have ended. */
  get list(): readonly ListedFault[] {
    return this.#faults.map(({ fault, hits }) => ({ ...fault, hits }));
  }

  /** Replaces all faults, and ends the delays of the previous ones. */
  set(faults: readonly Fault[]): void {
    this.#faults = faults.map((fault) => {
      return { fault, parts: partsOf(fault, this.members), matches: 0, hits: 0 };
    });
    if (this.#delays.hasEnded) return;
    this.#delays.end();
    this.#delays = new Waits();
  }

  /** Ends all present and future delays. */
  stop(): void {
    this.#delays.end();
  }

  readonly middleware: Middleware = (next) => (request) => {
    const hit = this.#faults.find((counted) => hits(counted, request));
    if (hit === undefined) return next(request);
    const { fault, parts } = hit;
    const handle = parts.reduceRight(
      (inner, { member, value }) => member.effect?.(value, inner, fault) ?? inner,
      next,
    );
    return handle(request);
  };
}

/** Whether a fault hits a request. Counts that. */
function hits(counted: CountedFault, request: Request): boolean {
  const { fault, parts } = counted;
  if (fault.method === undefined && isPreflight(request)) return false;
  if (!parts.every(({ member, value }) => member.matches?.(value, request) ?? true)) return false;
  const isHit = parts.every(({ member, value }) => member.limits?.(value, counted) ?? true);
  counted.matches++;
  if (isHit) counted.hits++;
  return isHit;
}
