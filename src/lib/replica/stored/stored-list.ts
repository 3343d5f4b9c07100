import { clock } from '../../clock.ts';
import { GapError } from '../errors.ts';
import type { EtcdClient, SendOptions } from '../etcd/client.ts';
import { encode, prefixEnd, range } from '../etcd/json.ts';
import { headOf, type StoredHead } from './commit-head.ts';

/** Rows per page. They are put into the table in one turn of the event loop. */
const PAGE_ROWS = 1_000;

/** How long a page may take, in milliseconds. */
const PAGE_MS = 10_000;

/** The digits of the largest id, so that keys sort like ids. */
const ID_DIGITS = 19;

/** The digits of a generation's number, so that names sort by it. */
const GENERATION_DIGITS = 10;

/** A part of the rows, by key. For each page, etcd counts all rows of the part: so it is small. */
export interface RowsPart {
  readonly from: string;
  /** The id before which it ends, and how many ids it has. */
  readonly to: number;
  readonly ids: number;
}

/** The stored list: where it is, and what is read of it. */
export class StoredList {
  readonly client: EtcdClient;
  readonly keys: Keys;
  /** How long a request may wait for etcd, in milliseconds. */
  readonly timeoutMs: number;

  constructor(client: EtcdClient, prefix: string, timeoutMs: number) {
    this.client = client;
    this.keys = keysOf(prefix);
    this.timeoutMs = timeoutMs;
  }

  /** When a request that begins now gives up, by `clock.now()`. */
  deadline(): number {
    return clock.now() + this.timeoutMs;
  }

  /** The head, now or in a revision, and the cluster's revision. @throws StoreError */
  async head(options?: SendOptions, at = 0) {
    const body = { key: encode(this.keys.head), revision: String(at) };
    const { found, revision } = await this.client.range(body, options);
    return { head: found[0] && headOf(found[0]), revision };
  }

  /** Whether a later head's history has a head; true if it is compacted. @throws StoreError */
  async hasHead({ text, revision }: StoredHead, now: StoredHead): Promise<boolean> {
    if (now.revision <= revision) return now.revision === revision && now.text === text;
    try {
      return (await this.head(undefined, revision)).head?.text === text;
    } catch (error) {
      if (error instanceof GapError) return true;
      throw error;
    }
  }

  /** The first head after another one, up to a later one. @throws StoreError */
  async headAfter(base: StoredHead, now: StoredHead, deadline: number): Promise<StoredHead> {
    let [from, found] = [base.revision + 1, now];
    while (found.version > base.version + 1 && from < found.revision) {
      const middle = Math.floor((from + found.revision - 1) / 2);
      const { head } = await this.head({ deadline }, middle);
      if (head !== undefined && head.version > base.version) found = head;
      else from = middle + 1;
    }
    return found;
  }

  /**
   * A page of rows by id, the cluster's revision, and what the next is of. @throws EtcdError
   * @param idsAssigned what `head` says: rows beyond that id are few
   */
  async page(
    generation: string,
    idsAssigned: number,
    part: RowsPart = { from: this.keys.rowsOf(generation), to: PAGE_ROWS, ids: PAGE_ROWS },
  ) {
    const isLast = part.to > idsAssigned;
    const { keys } = this;
    const end = isLast ? prefixEnd(keys.rowsOf(generation)) : keys.row(generation, part.to);
    const body = { ...range(part.from, end), limit: String(PAGE_ROWS) };
    const options = { deadline: clock.now() + PAGE_MS, attemptMs: PAGE_MS / 2 };
    const { found: rows, revision, hasMore } = await this.client.range(body, options);
    const last = rows.at(-1);
    // Few rows here: a long range without any may follow, so take larger steps.
    const ids = rows.length < PAGE_ROWS / 2 ? 2 * part.ids : PAGE_ROWS;
    const following = isLast ? undefined : { from: end, to: part.to + ids, ids };
    const next = hasMore && last ? { ...part, from: `${last.key}\0` } : following;
    return { rows, revision, next };
  }
}

/** The keys of one list. */
export type Keys = ReturnType<typeof keysOf>;

/**
 * The keys of one list below a prefix. Rows of other generations than the current one are being
 * prepared or left over, and are never shown.
 *
 *     meta                   what all replicas must agree on
 *     fields                 how the fields of rows are described
 *     generation             the name of the current generation of rows
 *     row/<generation>/<id>  one row
 *     head                   written last in every transaction that changes the list
 */
export function keysOf(prefix: string) {
  const rows = `${prefix}row/`;
  const rowsOf = (generation: string) => `${rows}${generation}/`;
  return {
    prefix,
    meta: `${prefix}meta`,
    fields: `${prefix}fields`,
    generation: `${prefix}generation`,
    head: `${prefix}head`,
    rows,
    rowsOf,
    row: (generation: string, id: number | bigint) =>
      `${rowsOf(generation)}${String(id).padStart(ID_DIGITS, '0')}`,
    /** The generation of a row's key. */
    generationOf: (row: string) => row.slice(rows.length, row.indexOf('/', rows.length)),
  };
}

/** Names the first generation, or the one after another, unlike all that others prepare. */
export function nextGeneration(before = ''): string {
  return `${afterGeneration(before)}-${crypto.randomUUID()}`;
}

/** A text that sorts after all names with this one's number, and before all later names. */
export function afterGeneration(name: string): string {
  const number = Number(name.slice(0, GENERATION_DIGITS)) + 1;
  return String(number).padStart(GENERATION_DIGITS, '0');
}
