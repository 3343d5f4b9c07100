import { clock } from '../../clock.ts';
import { EtcdError } from '../etcd/error.ts';
import { exists, hasValue, prefixEnd, put, range, remove } from '../etcd/json.ts';
import { afterGeneration } from '../stored/keys.ts';
import type { ListRow } from '../stored/list-table.ts';
import type { RowCodec } from '../stored/row-codec.ts';
import type { StoredList } from '../stored/stored-list.ts';
import { MAX_TRANSACTION_ROWS, MAX_TRANSACTION_TEXT } from './dry-run.ts';

/** How many rows a sweep deletes at once. */
const SWEPT_ROWS = 1_000;

/** The time limit of a step of a sweep, in milliseconds. */
const SWEEP_MS = 10_000;

/** Makes all rows of a new generation, by ascending id, and says how many ids that assigns. */
export type MakeRows = () => Promise<{
  readonly rows: readonly ListRow[];
  readonly idsAssigned: number;
}>;

/**
 * Writes whole generations of rows, however large, and deletes old ones. Neither changes what is
 * shown: another transaction makes a generation the current one.
 */
export class Generations {
  readonly #list: StoredList;
  readonly #codec: RowCodec;
  readonly #timeoutMs: number;

  /** @param timeoutMs how long each transaction may take, in milliseconds */
  constructor(list: StoredList, codec: RowCodec, timeoutMs: number) {
    this.#list = list;
    this.#codec = codec;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Writes the rows of a generation that is not current yet, in parts that fit one transaction
   * each, and each only if the one before is there: etcd may be restored from a backup meanwhile.
   * @param condition must hold all the time
   * @returns what holds while all are there; undefined if another replica was faster, or some are
   * not
   * @throws EtcdError
   */
  async write(
    generation: string,
    rows: readonly ListRow[],
    condition: object,
  ): Promise<readonly object[] | undefined> {
    const { client, keys } = this.#list;
    let compare = [condition];
    for (let written = 0; written < rows.length; ) {
      const success: ReturnType<typeof put>[] = [];
      let length = 0;
      let key = '';
      for (const row of rows.slice(written, written + MAX_TRANSACTION_ROWS)) {
        const text = this.#codec.encode(row);
        length += text.length;
        if (length > MAX_TRANSACTION_TEXT && success.length > 0) break;
        key = keys.row(generation, row.id);
        success.push(put(key, text));
      }
      // It is safe to send this again: it writes the same rows.
      const deadline = clock.now() + this.#timeoutMs;
      if (!(await client.txn({ compare, success }, { deadline })).succeeded) return undefined;
      written += success.length;
      compare = [condition, exists(key)];
    }
    return compare;
  }

  /**
   * Deletes the rows of all other generations except later ones, which may be in preparation: step
   * by step, and only while the generation is current. The next sweep deletes what is left over.
   */
  async sweep(generation: string): Promise<void> {
    const { client, keys } = this.#list;
    const own = keys.rowsOf(generation);
    const compare = [hasValue(keys.generation, generation)];
    const end = `${keys.rows}${afterGeneration(generation)}`;
    try {
      for (const [from, to] of [[keys.rows, own] as const, [prefixEnd(own), end] as const]) {
        for (;;) {
          const limit = { deadline: clock.now() + SWEEP_MS };
          const body = { ...range(from, to), keys_only: true, limit: SWEPT_ROWS };
          const last = (await client.range(body, limit)).found.at(-1);
          if (last === undefined) break;
          const success = [remove(range(from, `${last.key}\0`))];
          if (!(await client.txn({ compare, success }, limit)).succeeded) return;
        }
      }
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
    }
  }
}
