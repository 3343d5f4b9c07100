import { TableFullError } from '../errors.ts';
import { ChunkList, type Located, locate } from '../rows/chunk-list.ts';
import type { StoredRow } from '../schema/column.ts';
import type { Integer } from '../schema/integer.ts';
import { newRow, type ResolvedSchema } from '../schema/resolved-schema.ts';

/** The limits of a table. They can change at any time; rows that exceed a new limit stay. */
export interface Limits {
  maxRows: number;
  /** Compared with computed bytes, which are not measured. */
  maxBytes: number;
}

/** The chunks of a table, and the next id. A replacement of all rows fills another instance. */
export class TableData {
  readonly limits: Limits;
  chunks: ChunkList;
  /** The id of the next inserted row. */
  nextId: Integer;
  /** The number of the commit with which the table switched to these chunks. */
  #firstRevision = 0;

  constructor(schema: ResolvedSchema, limits: Limits) {
    this.limits = limits;
    this.chunks = new ChunkList(schema, limits);
    this.nextId = schema.identity.first;
  }

  /** Switches to the chunks of a replacement, in a commit of a number. */
  replaceBy({ chunks, nextId }: TableData, number: number): void {
    chunks.supersede(this.chunks);
    // Searches of snapshots must not sign chunks of the previous list again.
    this.chunks.chunks = [];
    this.chunks = chunks;
    this.nextId = nextId;
    this.#firstRevision = number;
  }

  /** Looks up the row with an id. */
  find(id: unknown): Located {
    const { identity } = this.chunks.schema;
    return locate(this.chunks, identity.chunkOf(id), identity.offsetOf(id));
  }

  /** Returns the number of the commit that wrote a row. */
  revisionOf({ revision }: Located): number {
    return revision || this.#firstRevision;
  }

  /** The number of ids assigned so far. */
  get idsAssigned(): bigint {
    return this.chunks.schema.identity.countBefore(this.nextId);
  }

  set idsAssigned(count: bigint) {
    this.nextId = this.chunks.schema.identity.afterCount(count);
  }

  /**
   * Makes a row for the next id, without storing it.
   * @throws ColumnError, TableFullError if there are too many rows, IdsExhaustedError
   */
  newRow(values: object, id = this.nextId): StoredRow {
    const { maxRows } = this.limits;
    const { schema, size } = this.chunks;
    if (size >= maxRows) throw new TableFullError('rows', maxRows);
    schema.identity.checkNext(id);
    return newRow(schema, id, values);
  }

  /** Called after rows have grown. @throws TableFullError when there are too many bytes */
  checkBytes(): void {
    const { maxBytes } = this.limits;
    if (this.chunks.bytes > maxBytes) throw new TableFullError('bytes', maxBytes);
  }
}
