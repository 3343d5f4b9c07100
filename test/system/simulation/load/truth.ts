import type { StoredEvent } from '../etcd/store.ts';

/** A row as it is stored. */
export interface StoredRow {
  readonly title: string;
  readonly [member: string]: unknown;
}

/** What one transaction has done to one row. */
export interface RowChange {
  readonly id: number;
  /** Undefined if it was deleted. */
  readonly row: StoredRow | undefined;
  /** Undefined if it is new. */
  readonly before: StoredRow | undefined;
}

/** A transaction that changed the list. */
export interface Commit {
  readonly revision: number;
  readonly generation: string;
  readonly idsAssigned: number;
  /** The writer and its number. */
  readonly token: string;
  readonly changes: readonly RowChange[];
  readonly isReset: boolean;
}

interface Version {
  readonly revision: number;
  readonly row: StoredRow | undefined;
}

interface HeadJson {
  readonly generation: string;
  readonly idsAssigned: string;
  readonly changes: number;
  readonly writers: Readonly<Record<string, number>>;
}

const ROWS = '/test/row/';

/**
 * What really happened, as etcd has it. Checks each transaction by itself, and says what the list
 * was in each revision.
 */
export class Truth {
  readonly commits: Commit[] = [];
  /** What is wrong with transactions. */
  readonly violations: string[] = [];
  /** In which revisions a row got a title. */
  readonly #written = new Map<string, number[]>();
  /** The versions of each row, by generation and id. */
  readonly #versions = new Map<string, Map<number, Version[]>>();
  /** The rows by generation and id, each generation as it was when it was last current. */
  readonly #rows = new Map<string, Map<number, StoredRow>>();

  /** Takes the events of a revision. */
  readonly note = (events: readonly StoredEvent[]): void => {
    const revision = Number(events[0]?.json.kv.mod_revision);
    const head = events.find(({ key }) => key === '/test/head');
    const rows = events.filter(({ key }) => key.startsWith(ROWS));
    const before = this.commits.at(-1);
    if (head?.value === undefined) {
      for (const { key, value } of rows) {
        const [generation = ''] = key.slice(ROWS.length).split('/');
        if (generation === before?.generation) this.violations.push(`${key} without a head`);
        const row = this.#put(generation, revision, idOf(key), value);
        if (row !== undefined) this.#listOf(generation).set(idOf(key), row);
      }
      return;
    }
    if (events.at(-1) !== head) this.violations.push(`the head of ${revision} is not last`);
    const { generation, changes, writers, ...rest }: HeadJson = JSON.parse(head.value);
    const idsAssigned = Number(rest.idsAssigned);
    const [writer = '', number = 0] = Object.entries(writers).at(-1) ?? [];
    const isReset = before !== undefined && generation !== before.generation;
    if (!isReset && rows.length !== changes) this.violations.push(`${revision} has other changes`);
    const list = this.#listOf(generation);
    const all: RowChange[] = [];
    for (const { key, value } of rows) {
      if (!key.startsWith(`${ROWS}${generation}/`)) this.violations.push(`${key} is not current`);
      const id = idOf(key);
      const isNew = this.#rowsOf(generation).get(id) === undefined;
      const first = isReset ? 0 : (before?.idsAssigned ?? 0);
      if (isNew && (id <= first || id > idsAssigned)) {
        this.violations.push(`${key} in revision ${revision} is neither old nor next`);
      }
      const was = list.get(id);
      const row = this.#put(generation, revision, id, value);
      all.push({ id, row, before: was });
      if (row === undefined) list.delete(id);
      else list.set(id, row);
    }
    const known = this.#rowsOf(generation).size;
    if (known !== idsAssigned) {
      this.violations.push(`${idsAssigned} ids, ${known} rows in revision ${revision}`);
    }
    this.commits.push({
      ...{ revision, generation, idsAssigned, isReset, token: `${writer}.${number}` },
      changes: all,
    });
  };

  /** Forgets what was after a revision: etcd was restored from a backup. */
  restore(revision: number): void {
    while ((this.commits.at(-1)?.revision ?? 0) > revision) {
      const { generation = '', changes = [] } = this.commits.pop() ?? {};
      undo(this.#listOf(generation), changes);
    }
    for (const rows of this.#versions.values()) {
      for (const [id, versions] of rows) {
        const kept = versions.filter((version) => version.revision <= revision);
        if (kept.length > 0) rows.set(id, kept);
        else rows.delete(id);
      }
    }
    for (const [title, revisions] of this.#written) {
      const kept = revisions.filter((each) => each <= revision);
      this.#written.set(title, kept);
    }
  }

  /** The revision of the last commit. */
  get last(): number {
    return this.commits.at(-1)?.revision ?? 0;
  }

  /** In which revisions a row got a title. */
  written(title: string): readonly number[] {
    return this.#written.get(title) ?? [];
  }

  /** The commit of a revision, or the last one before it. */
  commitAt(revision: number): Commit | undefined {
    return this.commits[this.#indexAfter(revision) - 1];
  }

  /** The rows in a revision, by id. */
  listAt(revision: number): readonly (readonly [id: number, row: StoredRow])[] {
    const current = this.commitAt(revision)?.generation ?? '';
    const list = new Map(this.#listOf(current));
    for (let i = this.commits.length - 1; i >= 0; i--) {
      const commit = this.commits[i];
      if (commit === undefined || commit.revision <= revision) break;
      if (commit.generation === current) undo(list, commit.changes);
    }
    return [...list].sort(([a], [b]) => a - b);
  }

  /** The ids and titles in a revision. */
  titlesAt(revision: number): string {
    return this.listAt(revision)
      .map(([id, { title }]) => `${id} ${title}`)
      .join();
  }

  /** The title of a row in a revision; empty if there was none. */
  titleAt(id: number, revision: number): string {
    const commit = this.commitAt(revision);
    const versions = commit && this.#versions.get(commit.generation)?.get(id);
    return versions?.findLast((version) => version.revision <= revision)?.row?.title ?? '';
  }

  /** The first revision from one to another in which a row has a title; undefined if none. */
  firstWith(
    id: number,
    isIt: (title: string) => boolean,
    from: number,
    to: number,
  ): number | undefined {
    if (isIt(this.titleAt(id, from))) return from;
    for (let i = this.#indexAfter(from); i < this.commits.length; i++) {
      const { revision = Number.POSITIVE_INFINITY } = this.commits[i] ?? {};
      if (revision > to) return undefined;
      if (isIt(this.titleAt(id, revision))) return revision;
    }
    return undefined;
  }

  /** The index of the first commit after a revision. */
  #indexAfter(revision: number): number {
    let [low, high] = [0, this.commits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.commits[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #rowsOf(generation: string): Map<number, Version[]> {
    let rows = this.#versions.get(generation);
    if (rows === undefined) {
      rows = new Map();
      this.#versions.set(generation, rows);
    }
    return rows;
  }

  #listOf(generation: string): Map<number, StoredRow> {
    let list = this.#rows.get(generation);
    if (list === undefined) {
      list = new Map();
      this.#rows.set(generation, list);
    }
    return list;
  }

  #put(
    generation: string,
    revision: number,
    id: number,
    value: string | undefined,
  ): StoredRow | undefined {
    const rows = this.#rowsOf(generation);
    const versions = rows.get(id) ?? [];
    const row = rowOf(value);
    const before = versions.at(-1)?.row;
    if (row !== undefined && row.title !== before?.title) {
      const revisions = this.#written.get(row.title) ?? [];
      revisions.push(revision);
      this.#written.set(row.title, revisions);
    }
    versions.push({ revision, row });
    rows.set(id, versions);
    return row;
  }
}

function undo(list: Map<number, StoredRow>, changes: readonly RowChange[]): void {
  for (const { id, before } of changes) {
    if (before === undefined) list.delete(id);
    else list.set(id, before);
  }
}

function idOf(key: string): number {
  return Number(key.slice(-19));
}

function rowOf(value: string | undefined): StoredRow | undefined {
  return value === undefined ? undefined : JSON.parse(value);
}
