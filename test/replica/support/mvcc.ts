/** A version of a key; deleted if it has no value. */
interface Version {
  readonly modRevision: number;
  readonly createRevision: number;
  readonly version: number;
  readonly value: string | undefined;
}

/** A key with its value, as the gateway sends it. */
export interface KeyValueJson {
  readonly key: string;
  readonly value?: string;
  readonly create_revision?: string;
  readonly mod_revision?: string;
  readonly version?: string;
}

/** What happened to a key. */
export interface EventJson {
  readonly type?: 'DELETE';
  readonly kv: KeyValueJson;
}

/** An operation of a transaction, decoded. */
export type Operation =
  | { readonly put: { readonly key: string; readonly value: string } }
  | { readonly remove: { readonly key: string; readonly end: string | undefined } };

/** Keys with all their versions, as etcd keeps them. */
export class Mvcc {
  revision = 1;
  compacted = 0;
  #versions = new Map<string, Version[]>();
  /** The events of each revision. */
  #history = new Map<number, EventJson[]>();

  get(key: string, revision = this.revision): KeyValueJson | undefined {
    const version = this.#versions.get(key)?.findLast((each) => each.modRevision <= revision);
    return version?.value === undefined ? undefined : keyValueJson(key, version);
  }

  range(key: string, end: string | undefined, revision = this.revision): KeyValueJson[] {
    if (end === undefined) return [this.get(key, revision) ?? []].flat();
    const keys = [...this.#versions.keys()].filter((each) => each >= key && each < end).sort();
    return keys.flatMap((each) => this.get(each, revision) ?? []);
  }

  /** Applies operations in one revision; deletes only what exists. */
  apply(operations: readonly Operation[]): readonly EventJson[] {
    const events: EventJson[] = [];
    const next = this.revision + 1;
    for (const operation of operations) {
      if ('put' in operation) events.push(this.#put(next, operation.put.key, operation.put.value));
      else {
        for (const { key } of this.range(operation.remove.key, operation.remove.end)) {
          events.push(this.#delete(next, decoded(key)));
        }
      }
    }
    if (events.length > 0) {
      this.revision = next;
      this.#history.set(next, events);
    }
    return events;
  }

  /** The events from a revision on, grouped by revision. */
  since(revision: number): readonly (readonly EventJson[])[] {
    const later = [...this.#history].filter(([each]) => each >= revision);
    return later.map(([, events]) => events);
  }

  compact(revision = this.revision): void {
    this.compacted = revision;
  }

  /** Returns to an earlier revision, like a restore from a backup. */
  goBackTo(revision: number): void {
    for (const [key, versions] of this.#versions) {
      this.#versions.set(
        key,
        versions.filter(({ modRevision }) => modRevision <= revision),
      );
    }
    for (const each of this.#history.keys()) if (each > revision) this.#history.delete(each);
    this.revision = revision;
  }

  #put(revision: number, key: string, value: string): EventJson {
    const before = this.#versions.get(key)?.at(-1);
    const isNew = before?.value === undefined;
    const version = {
      modRevision: revision,
      createRevision: isNew ? revision : before.createRevision,
      version: isNew ? 1 : before.version + 1,
      value,
    };
    this.#versions.set(key, [...(this.#versions.get(key) ?? []), version]);
    return { kv: keyValueJson(key, version) };
  }

  #delete(revision: number, key: string): EventJson {
    const version = { modRevision: revision, createRevision: 0, version: 0, value: undefined };
    this.#versions.get(key)?.push(version);
    return { type: 'DELETE', kv: { key: encoded(key), mod_revision: String(revision) } };
  }
}

function keyValueJson(key: string, version: Version): KeyValueJson {
  return {
    key: encoded(key),
    create_revision: String(version.createRevision),
    mod_revision: String(version.modRevision),
    version: String(version.version),
    // etcd omits empty values.
    ...(version.value && { value: encoded(version.value) }),
  };
}

export function encoded(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

export function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
