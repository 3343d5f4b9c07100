import { clock, sleep } from '../../clock.ts';
import type { Row } from '../../table/schema/column.ts';
import type { ItemFields } from '../../todo/item-api.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { encode, get, isUnchanged, prefixEnd, put } from '../etcd/messages.ts';
import type { View } from '../read/etcd-follower.ts';
import { type Head, nextHead } from '../stored/commit-head.ts';
import { afterGeneration, type Keys, nextGeneration } from '../stored/keys.ts';
import type { Meta } from '../stored/meta.ts';
import type { RowCodec } from '../stored/row-codec.ts';
import type { HeadWriter } from './head-writer.ts';

/** The most rows in one transaction, and the most text. Both are well within etcd's limits. */
const MAX_ROWS = 100;
const MAX_CHARACTERS = 350_000;

/** How long to wait before trying a reset again, in milliseconds. */
const AGAIN_MS = 50;

/** What generations need. */
export interface GenerationParts {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly codec: RowCodec;
  readonly writer: HeadWriter;
  /** Makes the rows of the seed, by ascending id. */
  readonly seedRows: () => readonly Row<ItemFields>[];
  readonly timeoutMs: number;
}

/**
 * Replaces all rows at once, however many. It writes them as a new generation, and makes that the
 * current one in a single transaction. Then it deletes the rows of old generations.
 */
export class Generations {
  readonly #parts: GenerationParts;

  constructor(parts: GenerationParts) {
    this.#parts = parts;
  }

  /**
   * Creates a list with the seed, if there is none. If several replicas try, one of them succeeds.
   * @throws EtcdError
   */
  async begin(meta: Meta): Promise<void> {
    const { client, keys, writer, timeoutMs } = this.#parts;
    const generation = nextGeneration(undefined);
    const rows = this.#parts.seedRows();
    const isFree = isUnchanged(keys.meta, 0);
    if (!(await this.#write(generation, rows, isFree))) {
      await this.#discard(generation);
      return;
    }
    const head: Head = nextHead({ writers: {} }, writer.name, 0, {
      ...{ generation, idsAssigned: rows.length, changes: 0 },
    });
    const success = [
      put(keys.meta, JSON.stringify(meta)),
      put(keys.generation, generation),
      put(keys.head, JSON.stringify(head)),
    ];
    // It is safe to send this again: the comparison fails, and the response has this generation.
    const deadline = clock.now() + timeoutMs;
    const failure = [get(keys.generation)];
    const body = { compare: [isFree], success, failure };
    const { succeeded, responses } = await client.txn(body, { deadline });
    const current = responses?.[0]?.response_range?.kvs?.[0]?.value;
    if (!succeeded && current !== encode(generation)) await this.#discard(generation);
  }

  /** Deletes the rows of a generation that will never become current. */
  async #discard(generation: string): Promise<void> {
    const key = this.#parts.keys.rowsOf(generation);
    const body = { key: encode(key), range_end: encode(prefixEnd(key)) };
    await this.#parts.client.deleteRange(body, { deadline: clock.now() + SWEEP_MS });
  }

  /**
   * Resets the list to the seed; ids start again.
   * @throws UnknownOutcomeError if the reset may or may not have happened
   * @throws EtcdError if nothing has happened
   */
  async reset(view: View): Promise<void> {
    const deadline = () => clock.now() + this.#parts.timeoutMs;
    for (;;) {
      const before = view.head;
      if (before === undefined) {
        await view.reached(1, deadline());
        continue;
      }
      const generation = nextGeneration(before.generation);
      const rows = this.#parts.seedRows();
      const revision = await this.#revisionOf(before.generation, deadline());
      const isCurrent = isUnchanged(this.#parts.keys.generation, revision);
      const isDone =
        revision > 0 &&
        (await this.#write(generation, rows, isCurrent)) &&
        (await this.#makeCurrent(view, before.generation, generation, rows.length));
      if (isDone) {
        this.#sweep(generation).catch(() => {
          // Leftover rows do no harm, and the next reset deletes them.
        });
        return;
      }
      // Give the watch time to deliver the transaction that was faster.
      await sleep(AGAIN_MS);
    }
  }

  /** The revision in which this generation became current; 0 if it no longer is. */
  async #revisionOf(generation: string, deadline: number): Promise<number> {
    const { client, keys } = this.#parts;
    const { kvs } = await client.range({ key: encode(keys.generation) }, { deadline });
    const [stored] = kvs ?? [];
    if (stored?.value !== encode(generation)) return 0;
    return Number(stored.mod_revision);
  }

  /**
   * Writes the rows of a generation that is not current yet.
   * @returns false if the condition does not hold, because another replica was faster
   */
  async #write(
    generation: string,
    rows: readonly Row<ItemFields>[],
    condition: object,
  ): Promise<boolean> {
    const { client, keys, codec, timeoutMs } = this.#parts;
    const puts = rows.map((row) => [keys.row(generation, row.id), codec.encode(row)] as const);
    for (const part of parts(puts)) {
      const success = part.map(([key, text]) => put(key, text));
      const deadline = clock.now() + timeoutMs;
      // It is safe to send this again: it writes the same rows.
      const { succeeded } = await client.txn({ compare: [condition], success }, { deadline });
      if (!succeeded) return false;
    }
    return true;
  }

  /**
   * Makes a generation the current one.
   * @returns false if another one was faster
   */
  async #makeCurrent(view: View, from: string, to: string, idsAssigned: number): Promise<boolean> {
    const { keys, writer, timeoutMs } = this.#parts;
    const deadline = clock.now() + timeoutMs;
    for (;;) {
      const { head: base, meta } = view;
      if (base?.generation !== from || meta === undefined) return false;
      const outcome = await writer.write({
        ...{ base, metaRevision: meta.revision, deadline },
        operations: [put(keys.generation, to)],
        head: { generation: to, idsAssigned, changes: 0 },
      });
      await view.reached(outcome.revision, deadline);
      if (outcome.isApplied) return true;
    }
  }

  /** Deletes the rows of all other generations except later ones, which may be in preparation. */
  async #sweep(generation: string): Promise<void> {
    const { client, keys } = this.#parts;
    const own = keys.rowsOf(generation);
    const ranges = [
      [keys.rows, own],
      [prefixEnd(own), `${keys.rows}${afterGeneration(generation)}`],
    ] as const;
    for (const [from, to] of ranges) {
      const deadline = clock.now() + SWEEP_MS;
      const body = { key: encode(from), range_end: encode(to) };
      await client.deleteRange(body, { deadline, attemptMs: SWEEP_MS });
    }
  }
}

/** The time limit of a sweep, in milliseconds. */
const SWEEP_MS = 30_000;

/** Splits rows into parts that fit one transaction each. */
function* parts(
  puts: readonly (readonly [key: string, text: string])[],
): Generator<(readonly [key: string, text: string])[]> {
  let part: (readonly [key: string, text: string])[] = [];
  let characters = 0;
  for (const each of puts) {
    characters += each[1].length;
    if (part.length >= MAX_ROWS || (characters > MAX_CHARACTERS && part.length > 0)) {
      yield part;
      part = [];
      characters = each[1].length;
    }
    part.push(each);
  }
  if (part.length > 0) yield part;
}
