import { firstNotBefore } from '../binary-search.ts';
import { ColumnError, IdsExhaustedError, SchemaError } from '../errors.ts';

/** Where the slots of consecutive ids begin. */
interface Run {
  readonly id: number | bigint;
  readonly slot: number;
}

/** Up to here, a slot is the distance of an id from the first one. */
const MAX_PLAIN_SLOT = 2 ** 52;

/** From there on, a distance between two ids up to which their slots are as far apart. */
const MAX_DISTANCE = 2 ** 20;

/** What is left between the slots of ids that are further apart. */
const GAP = 2 ** 13;

/**
 * Maps the ids of a table, which are assigned in order and never reused, to slots and back: the
 * distance of an id from the first one. Slots are numbers, which are exact up to 2^53; so among
 * later ids, long distances are not kept, and only the order is.
 */
export class Identity {
  readonly column: string;
  readonly #first: number | bigint;
  readonly #last: number | bigint;
  /** In order; more than one if ids that are far apart were given. */
  readonly #runs: Run[];

  /** @throws SchemaError if the first id is not in the range */
  constructor(
    column: string,
    range: { readonly from: number | bigint; readonly to: number | bigint },
    first: number | bigint = range.from,
  ) {
    const isOfKind = isId(first) && typeof first === typeof range.from;
    if (!isOfKind || first < range.from || first > range.to) {
      throw new SchemaError(`the first id, ${first}, is not in ${range.from} to ${range.to}`);
    }
    this.column = column;
    this.#first = first;
    this.#last = range.to;
    this.#runs = [{ id: first, slot: 0 }];
  }

  /** Makes an identity with the same range, in which no id has been assigned. */
  anew(): Identity {
    return new Identity(this.column, { from: this.#first, to: this.#last });
  }

  /** Makes an id the next one after those up to a slot. Returns its slot. @throws ColumnError */
  skipTo(id: unknown, nextSlot: number): number {
    const slot = this.slotOf(id);
    if (!isId(id) || !(slot >= nextSlot) || id > this.#last) {
      throw new ColumnError(this.column, `cannot be ${id} after ids that were assigned`);
    }
    if (slot <= MAX_PLAIN_SLOT) return slot;
    if (slot - nextSlot <= MAX_DISTANCE && nextSlot > MAX_PLAIN_SLOT) return slot;
    const run = { id, slot: Math.max(MAX_PLAIN_SLOT, nextSlot) + GAP };
    this.#runs.push(run);
    return run.slot;
  }

  /** How many ids have been assigned before a slot, with those that were skipped. */
  countBefore(slot: number): bigint {
    return slot === 0 ? 0n : BigInt(this.idAt(slot - 1)) - BigInt(this.#first) + 1n;
  }

  /** The next slot after `count` ids. Skips ids if that is beyond `nextSlot`. */
  slotAfter(count: bigint, nextSlot: number): number {
    if (count === 0n) return 0;
    const last = BigInt(this.#first) + count - 1n;
    const id = typeof this.#first === 'bigint' ? last : Number(last);
    const slot = this.slotOf(id);
    return 1 + (slot < nextSlot ? slot : this.skipTo(id, nextSlot));
  }

  /** Forgets an id to skip to that was not assigned, so that a slot is the next one again. */
  skipBackTo(nextSlot: number): void {
    this.#runs.splice(this.#lastRun((run) => run.slot <= nextSlot) + 1);
  }

  /** Returns the slot of an id: negative before the first one, NaN for what cannot be an id. */
  slotOf(id: unknown): number {
    if (!isId(id)) return Number.NaN;
    const at = this.#lastRun((run) => run.id <= id);
    const slot = slotInRun(this.#runs[Math.max(at, 0)], id);
    // Between two runs there are no ids.
    return Math.min(slot, (this.#runs[at + 1]?.slot ?? Number.POSITIVE_INFINITY) - 1);
  }

  /** Returns the id of a slot. @throws IdsExhaustedError if it is beyond the range */
  idAt(slot: number): number | bigint {
    const at = this.#lastRun((each) => each.slot <= slot);
    const run = this.#runs[Math.max(at, 0)];
    if (run === undefined) throw new TypeError('an identity has a first id');
    const distance = slot - run.slot;
    const id = typeof run.id === 'bigint' ? run.id + BigInt(distance) : run.id + distance;
    if (id > this.#last) throw new IdsExhaustedError(this.#last);
    return id;
  }

  /** The index of the last run that is not after something; less than 1 if all are. */
  #lastRun(isBefore: (run: Run) => boolean): number {
    const runs = this.#runs;
    if (runs.length === 1) return 0;
    return firstNotBefore(runs.length, (i) => runs[i] !== undefined && isBefore(runs[i])) - 1;
  }
}

function isId(id: unknown): id is number | bigint {
  return typeof id === 'bigint' || Number.isInteger(id);
}

/** The slot of an id by its distance from the first of a run; NaN if it is of another type. */
function slotInRun(run: Run | undefined, id: number | bigint): number {
  if (typeof id === 'number')
    return typeof run?.id === 'number' ? run.slot + id - run.id : Number.NaN;
  return typeof run?.id === 'bigint' ? run.slot + Number(id - run.id) : Number.NaN;
}
