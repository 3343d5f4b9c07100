/** A version of a key; deleted if it has no value. */
interface Version {
  readonly modRevision: number;
  readonly value: string | undefined;
}

/** A key with its value, as the gateway sends it: in base64. */
export interface KeyValueJson {
  readonly key: string;
  readonly value?: string;
  readonly mod_revision?: string;
}

/** An event of a key, as the gateway sends it. */
export interface EventJson {
  readonly type?: 'DELETE';
  readonly kv: KeyValueJson;
}

/** An event, with the key decoded. */
export interface StoredEvent {
  readonly key: string;
  readonly value: string | undefined;
  readonly json: EventJson;
}

/** An operation that writes. */
export type Write =
  | { readonly put: string; readonly value: string }
  | { readonly remove: string; readonly end: string | undefined };

/** The number of revisions that a restore skips (`--bump-revision`). */
const BUMP = 1_000_000;

/** Keys with all their versions since the last compaction, as etcd keeps them. */
export class Store {
  revision = 1;
  /** Older revisions are gone. */
  compacted = 0;
  readonly #versions = new Map<string, Version[]>();
  /** All keys in order; undefined after a change of the set of keys. */
  #sorted: string[] | undefined;
  /** The events of each revision. */
  #history: { readonly revision: number; readonly events: readonly StoredEvent[] }[] = [];

  get(key: string, revision = this.revision): KeyValueJson | undefined {
    const version = this.#version(key, revision);
    return version?.value === undefined ? undefined : json(key, version);
  }

  /** The value of a key, not encoded. */
  value(key: string): string | undefined {
    return this.#version(key, this.revision)?.value;
  }

  /** The keys from one to another, exclusive, in order. */
  keys(from: string, end: string, revision: number): string[] {
    this.#sorted ??= [...this.#versions.keys()].sort();
    const isThere = (key: string) => this.#version(key, revision)?.value !== undefined;
    return this.#sorted.filter((key) => key >= from && key < end && isThere(key));
  }

  /** Applies writes in one revision. A deletion without a matching key is not a write. */
  apply(writes: readonly Write[]): readonly StoredEvent[] {
    const events: StoredEvent[] = [];
    const next = this.revision + 1;
    for (const write of writes) {
      if ('put' in write) events.push(this.#put(next, write.put, write.value));
      else {
        const end = write.end ?? `${write.remove}\0`;
        const keys = this.keys(write.remove, end, Number.POSITIVE_INFINITY);
        for (const key of keys) events.push(this.#delete(next, key));
      }
    }
    if (events.length > 0) {
      this.revision = next;
      this.#history.push({ revision: next, events });
    }
    return events;
  }

  /** The events from a revision on, by revision. */
  since(revision: number): readonly (readonly StoredEvent[])[] {
    const first = this.#history.findIndex((each) => each.revision >= revision);
    return first === -1 ? [] : this.#history.slice(first).map(({ events }) => events);
  }

  /** Drops the versions that were overwritten or deleted up to a revision. */
  compact(revision = this.revision): void {
    this.compacted = Math.max(this.compacted, revision);
    this.#history = this.#history.flatMap((each) => {
      if (each.revision > revision) return each;
      // A watch that begins at this very revision still gets its puts, but not its deletions.
      const events = each.events.filter(({ value }) => value !== undefined);
      return each.revision === revision && events.length > 0 ? { ...each, events } : [];
    });
    for (const [key, versions] of this.#versions) {
      const last = versions.findLastIndex(({ modRevision }) => modRevision <= revision);
      if (last > 0) versions.splice(0, last);
      const [first] = versions;
      if (versions.length === 1 && first?.value === undefined) {
        this.#versions.delete(key);
        this.#sorted = undefined;
      }
    }
  }

  /**
   * Goes back to the state of an earlier revision, as a restore with `--bump-revision` and
   * `--mark-compacted` does: revisions go on after all that were used, and have no history before.
   */
  restoreBumped(revision: number): void {
    const last = this.revision;
    this.restore(revision);
    this.revision = last + BUMP;
    this.compact(this.revision);
  }

  /** Goes back to an earlier revision, like a restore from a backup without such options, or to 1. */
  restore(revision: number): void {
    for (const [key, versions] of this.#versions) {
      const kept = versions.filter(({ modRevision }) => modRevision <= revision);
      if (kept.length > 0) this.#versions.set(key, kept);
      else this.#versions.delete(key);
    }
    this.#sorted = undefined;
    this.#history = this.#history.filter((each) => each.revision <= revision);
    this.revision = revision;
    this.compacted = Math.min(this.compacted, revision);
  }

  #version(key: string, revision: number): Version | undefined {
    return this.#versions.get(key)?.findLast(({ modRevision }) => modRevision <= revision);
  }

  #put(revision: number, key: string, value: string): StoredEvent {
    const versions = this.#versions.get(key);
    const version = { modRevision: revision, value };
    if (versions === undefined) {
      this.#versions.set(key, [version]);
      this.#sorted = undefined;
    } else versions.push(version);
    return { key, value, json: { kv: json(key, version) } };
  }

  #delete(revision: number, key: string): StoredEvent {
    const version = { modRevision: revision, value: undefined };
    this.#versions.get(key)?.push(version);
    const kv = { key: encoded(key), mod_revision: String(revision) };
    return { key, value: undefined, json: { type: 'DELETE', kv } };
  }
}

function json(key: string, { modRevision, value }: Version): KeyValueJson {
  return {
    key: encoded(key),
    mod_revision: String(modRevision),
    // etcd omits empty values.
    ...(value && { value: encoded(value) }),
  };
}

export function encoded(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

export function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
