import { clock } from '../../clock.ts';
import type { Item, SeedItems } from '../../todo/store/items.ts';
import { EtcdError } from '../etcd/error.ts';
import {
  exists,
  hasValue,
  isUnchanged,
  type OperationMessage,
  prefixEnd,
  put,
  range,
  remove,
} from '../etcd/json.ts';
import type { ReplicaParts } from '../parts.ts';
import { NO_HEAD, nextHead } from '../stored/commit-head.ts';
import { afterGeneration, nextGeneration } from '../stored/keys.ts';
import type { Meta } from '../stored/meta.ts';
import type { Transaction } from './commit-writer.ts';
import { MAX_ROWS, MAX_TEXT } from './dry-run.ts';

/** How often to begin a reset again because another one came first. */
const MAX_TRIES = 10;

/** How many rows a sweep deletes at once. */
const SWEPT_ROWS = 1_000;

/** The time limit of a step of a sweep, in milliseconds. */
const SWEEP_MS = 10_000;

/**
 * Replaces all rows at once, however many. It writes them as a new generation, and makes that the
 * current one in a single transaction. Then it deletes the rows of old generations.
 */
export class Generations {
  readonly #parts: ReplicaParts;
  #lastReset: Promise<unknown> = Promise.resolve();

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
  }

  /**
   * Creates a list with the seed, if there is none. If several replicas try, one of them succeeds.
   * @throws EtcdError
   */
  async begin(meta: Meta): Promise<void> {
    const { list, writer, seedItems } = this.#parts;
    const { client, keys } = list;
    const generation = nextGeneration(undefined);
    // The limit may still be that of a former list, which was deleted.
    this.#parts.rows.table.maxRows = meta.limits.maxRows;
    const rows = await seedItems();
    const compare = await this.#write(generation, rows, isUnchanged(keys.meta, 0));
    if (compare === undefined) return;
    const rest = { generation, idsAssigned: rows.length, changes: 0 };
    const head = nextHead(NO_HEAD, writer.name, 0, meta.id, rest);
    const success = [
      put(keys.meta, JSON.stringify(meta)),
      put(keys.generation, generation),
      put(keys.head, JSON.stringify(head)),
    ];
    // It is safe to send this again: only the first one finds no `meta`.
    await client.txn({ compare, success }, { deadline: this.#deadline() });
    this.#sweep(generation);
  }

  /**
   * Resets the list to the seed, or to another one; ids start again. Resets of one replica run one
   * after the other.
   * @throws UnknownOutcomeError if the reset may or may not have happened
   * @throws Error if nothing has happened
   */
  reset(seed?: SeedItems): Promise<void> {
    const reset = this.#lastReset.then(() => this.#reset(seed));
    this.#lastReset = reset.catch(() => {});
    return reset;
  }

  async #reset(seed?: SeedItems): Promise<void> {
    const { list, follower, readIndex, seedItems } = this.#parts;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      await readIndex.wait();
      const before = follower.head?.generation;
      if (before === undefined) continue;
      const generation = nextGeneration(before);
      const rows = await seedItems(seed);
      const isCurrent = hasValue(list.keys.generation, before);
      const compare = await this.#write(generation, rows, isCurrent);
      if (compare === undefined) continue;
      const rest = { generation, idsAssigned: rows.length, changes: 0 };
      if (!(await this.#makeCurrent(before, rest, compare))) continue;
      this.#sweep(generation);
      return;
    }
    throw new EtcdError('rejected', 'other resets came first');
  }

  /**
   * Writes the rows of a generation that is not current yet, each part only if the one before is
   * there: etcd may be restored from a backup meanwhile.
   * @returns what holds as long as all are there; undefined if another replica was faster, or rows
   *   are gone
   */
  async #write(generation: string, rows: readonly Item[], condition: object) {
    const { client, keys } = this.#parts.list;
    let compare = [condition];
    let written = 0;
    for (const success of this.#puts(generation, rows)) {
      // It is safe to send this again: it writes the same rows.
      const { succeeded } = await client.txn({ compare, success }, { deadline: this.#deadline() });
      if (!succeeded) return undefined;
      written += success.length;
      compare = [condition, exists(keys.row(generation, rows[written - 1]?.id ?? 0))];
    }
    return compare;
  }

  /** What writes the rows of a generation, in parts that fit one transaction each. */
  *#puts(generation: string, rows: readonly Item[]): Generator<OperationMessage[], void> {
    const { keys } = this.#parts.list;
    let part: OperationMessage[] = [];
    let length = 0;
    for (const row of rows) {
      const text = this.#parts.rows.codec.encode(row);
      length += text.length;
      if (part.length >= MAX_ROWS || (length > MAX_TEXT && part.length > 0)) {
        yield part;
        part = [];
        length = text.length;
      }
      part.push(put(keys.row(generation, row.id), text));
    }
    if (part.length > 0) yield part;
  }

  /**
   * Makes a generation the current one.
   * @returns false if another one was faster, or what `compare` says does not hold
   */
  async #makeCurrent(
    from: string,
    rest: Transaction['head'],
    compare: readonly object[],
  ): Promise<boolean> {
    const { list, writer, follower } = this.#parts;
    const deadline = this.#deadline();
    for (;;) {
      const { head: base, meta } = follower;
      if (base?.generation !== from || meta === undefined) return false;
      const { isApplied, head } = await writer.write({
        ...{ base, metaRevision: meta.revision, compare, deadline },
        operations: [put(list.keys.generation, rest.generation)],
        head: rest,
      });
      if (isApplied) {
        // It has happened, even if this replica needs longer to show it.
        await follower.reached(head.revision, deadline)?.catch(() => {});
        return true;
      }
      if (head.revision === base.revision) {
        follower.reload();
        return false;
      }
      await follower.reached(head.revision, deadline);
    }
  }

  /**
   * Deletes the rows of all other generations except later ones, which may be in preparation: step
   * by step, and only while the generation is current. What is left over does no harm, and the next
   * sweep deletes it.
   */
  async #sweep(generation: string): Promise<void> {
    const { client, keys } = this.#parts.list;
    const own = keys.rowsOf(generation);
    const compare = [hasValue(keys.generation, generation)];
    const end = `${keys.rows}${afterGeneration(generation)}`;
    try {
      for (const [from, to] of [[keys.rows, own] as const, [prefixEnd(own), end] as const]) {
        for (;;) {
          const deadline = clock.now() + SWEEP_MS;
          const body = { ...range(from, to), keys_only: true, limit: SWEPT_ROWS };
          const last = (await client.range(body, { deadline })).found.at(-1);
          if (last === undefined) break;
          const success = [remove(range(from, `${last.key}\0`))];
          if (!(await client.txn({ compare, success }, { deadline })).succeeded) return;
        }
      }
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
    }
  }

  #deadline(): number {
    return clock.now() + this.#parts.timeoutMs;
  }
}
