import type { StoredEvent } from '../etcd/store.ts';

/** Titles by id. */
type Titles = ReadonlyMap<number, string>;

/** A transaction that changed the list, with the titles before and after it. */
export interface Commit {
  readonly revision: number;
  readonly generation: string;
  readonly idsAssigned: number;
  readonly isReset: boolean;
  readonly before: Titles;
  readonly titles: Titles;
}

/** A revision in which a row got a title, and its title before; empty if it was new. */
interface Write {
  readonly revision: number;
  readonly before: string;
}

interface HeadJson {
  readonly id: string;
  readonly token: string;
  readonly generation: string;
  readonly idsAssigned: string;
  readonly changes: number;
}

const ROWS = '/test/row/';

/**
 * The history of the list, as etcd has stored it. Checks each transaction by itself, and returns
 * the list of each revision.
 */
export class StoredHistory {
  readonly commits: Commit[] = [];
  /**
   * The ids of lists that one transaction has created twice, because etcd lost its data before the
   * replica had the response. Their tags may be used again.
   */
  readonly createdAgain = new Set<string>();
  readonly #creations = new Set<string>();
  /** The faults of transactions. */
  readonly violations: string[] = [];
  readonly #writes = new Map<string, Write[]>();
  /** The rows of generations that were written before they became current. */
  readonly #prepared = new Map<string, Map<number, string>>();

  /** Takes the events of a revision. */
  readonly note = (events: readonly StoredEvent[]): void => {
    const revision = Number(events[0]?.json.kv.mod_revision);
    const head = events.find(({ key }) => key === '/test/head');
    const rows = events.filter(({ key }) => key.startsWith(ROWS));
    if (head?.value === undefined) this.#prepare(rows);
    else this.#commit(revision, JSON.parse(head.value), rows);
    if (head !== undefined && events.at(-1) !== head) {
      this.violations.push(`the head of ${revision} is not last`);
    }
  };

  /** Forgets commits after a revision, because etcd was restored from a backup. */
  restore(revision: number): void {
    while (this.last > revision) this.commits.pop();
    for (const [title, writes] of this.#writes) {
      const kept = writes.filter((each) => each.revision <= revision);
      this.#writes.set(title, kept);
    }
  }

  /** The revision of the last commit. */
  get last(): number {
    return this.commits.at(-1)?.revision ?? 0;
  }

  /** The writes that gave a row this title. */
  written(title: string): readonly Write[] {
    return this.#writes.get(title) ?? [];
  }

  /** The commit of a revision, or the last one before it. */
  commitAt(revision: number): Commit | undefined {
    return this.commits.findLast((commit) => commit.revision <= revision);
  }

  /** The ids and titles in a revision. */
  titlesAt(revision: number): string {
    const titles = [...(this.commitAt(revision)?.titles ?? [])];
    return titles
      .sort(([a], [b]) => a - b)
      .map(([id, title]) => `${id} ${title}`)
      .join();
  }

  #prepare(rows: readonly StoredEvent[]): void {
    const current = this.commits.at(-1)?.generation;
    for (const { key, value } of rows) {
      const [generation = ''] = key.slice(ROWS.length).split('/');
      if (generation === current) this.violations.push(`${key} without a head`);
      const titles = this.#prepared.get(generation) ?? new Map();
      this.#prepared.set(generation, titles);
      put(titles, key, value);
    }
  }

  #commit(revision: number, head: HeadJson, rows: readonly StoredEvent[]): void {
    const { id, token, generation, changes } = head;
    const before = this.commits.at(-1);
    if (before === undefined && this.#creations.has(token)) this.createdAgain.add(id);
    if (before === undefined) this.#creations.add(token);
    const isNew = generation !== before?.generation;
    const isReset = isNew && before !== undefined;
    const titles = new Map(isNew ? this.#prepared.get(generation) : before.titles);
    if (!isReset && rows.length !== changes) this.violations.push(`${revision} has other changes`);
    const known = isNew ? 0 : before.idsAssigned;
    const idsAssigned = Number(head.idsAssigned);
    let created = isNew ? titles.size : 0;
    for (const { key, value } of rows) {
      const id = idOf(key);
      if (!key.startsWith(`${ROWS}${generation}/`)) this.violations.push(`${key} is not current`);
      const title = titles.get(id) ?? '';
      if (title === '') created++;
      if (title === '' && (id <= known || id > idsAssigned)) {
        this.violations.push(`${key} in revision ${revision} is neither old nor next`);
      }
      const written = put(titles, key, value);
      if (written !== undefined && written !== title) {
        this.#writes.set(written, [...this.written(written), { revision, before: title }]);
      }
    }
    if (known + created !== idsAssigned) {
      this.violations.push(`${idsAssigned} ids, ${known + created} rows in revision ${revision}`);
    }
    const list = { before: before?.titles ?? new Map(), titles };
    this.commits.push({ revision, generation, idsAssigned, isReset, ...list });
  }
}

/** Puts or deletes the title of a row, and returns it. */
function put(titles: Map<number, string>, key: string, value: string | undefined) {
  const title: string | undefined = value && JSON.parse(value).title;
  if (title === undefined) titles.delete(idOf(key));
  else titles.set(idOf(key), title);
  return title;
}

function idOf(key: string): number {
  return Number(key.slice(-19));
}
