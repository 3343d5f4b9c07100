import { IncompatibleError } from '../errors.ts';
import { GapError } from '../etcd/error.ts';
import type { KeyChange } from '../etcd/json.ts';
import type { Meta, StoredMeta } from '../stored/meta.ts';
import type { StoredList } from '../stored/stored-list.ts';

/** What all replicas must agree on, and whether what is stored of it still fits this replica. */
export class AgreedMeta {
  readonly #list: StoredList;
  readonly #metaOf: (text: string) => Meta;
  /** As it was when it fitted last; undefined until the list is loaded. */
  current: StoredMeta | undefined;
  /** Why nothing can be written, although the list can be read. */
  misfit: IncompatibleError | undefined;

  /** @param metaOf reads the stored text; throws an IncompatibleError if this one does not fit */
  constructor(list: StoredList, metaOf: (text: string) => Meta) {
    this.#list = list;
    this.#metaOf = metaOf;
  }

  /**
   * Takes what the watch brings. @throws GapError if it is another list, or none
   * @param isLoaded whether `current` is that of the list to follow
   */
  take({ value, modRevision }: Pick<KeyChange, 'value' | 'modRevision'>, isLoaded = true): void {
    const { current } = this;
    const isKnown = value !== undefined && current !== undefined && isLoaded;
    if (!isKnown) throw new GapError('what all replicas must agree on has changed');
    if (modRevision < current.revision) return;
    try {
      const meta = this.#metaOf(value);
      const isSame = meta.limits.maxRows === current.value.limits.maxRows;
      if (!isSame || meta.id !== current.value.id) throw new GapError('it is another list');
      this.current = { value: meta, revision: modRevision };
      this.misfit = undefined;
    } catch (error) {
      if (!(error instanceof IncompatibleError)) throw error;
      this.misfit = error;
    }
  }

  /** Reads it again. @throws EtcdError; GapError if it is another list, or none */
  async check(): Promise<void> {
    this.take((await this.#list.meta()) ?? { value: undefined, modRevision: 0 });
  }
}
