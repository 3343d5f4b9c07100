import { UncommittedError } from '../errors.ts';
import type { Located } from '../pages/page-list.ts';
import type { Row, Schema, StoredRow } from '../schema/column.ts';
import { asRow } from '../schema/resolved-schema.ts';
import type { FoundRow } from '../table-types.ts';

/** Which commit was the last one, and whether a transaction is running. */
interface Progress {
  readonly isOpen: boolean;
  readonly commits: { readonly version: number };
}

/** A row with the place where it was found. */
export class LocatedRow<S extends Schema> implements FoundRow<S> {
  readonly row: Row<S>;
  readonly located: Located;
  readonly #revision: number;
  readonly #progress: Progress;

  constructor(row: StoredRow, located: Located, revision: number, progress: Progress) {
    this.row = asRow<S>(row);
    this.located = located;
    this.#revision = revision;
    this.#progress = progress;
  }

  get revision(): number {
    const { isOpen, commits } = this.#progress;
    if (isOpen && this.#revision > commits.version) throw new UncommittedError();
    return this.#revision;
  }
}
