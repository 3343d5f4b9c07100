import type { StoredRow, Value } from '../schema/column.ts';
import type { Integer } from '../schema/integer.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import { fold } from '../text/case-folding.ts';
import { bytesOfRow, type FoldedRow, growthOfRow } from './byte-size.ts';

/** Measured with V8: an entry, and the word that refers to it. */
const ENTRY_BYTES = 72;

/**
 * A commit whose number is not known yet. The rows of a bulk write share one, which gets its number
 * when it commits, because other commits may come before it.
 */
export interface PendingCommit {
  number: number;
}

/** A row, and what the table keeps with it. */
export interface Entry extends FoldedRow {
  readonly id: Integer;
  /** The commit that wrote the row. */
  readonly commit: number | PendingCommit;
  readonly bytes: number;
}

/** Returns the number of the commit that wrote a row. */
export function commitNumberOf({ commit }: Entry): number {
  return typeof commit === 'number' ? commit : commit.number;
}

/** Returns the function that reads a column of an entry, or the case folding of its text. */
export function valueReader(
  { texts }: ResolvedSchema,
  column: string,
  isFolded: boolean,
): (entry: Entry) => Value | null {
  if (!isFolded) return ({ row }) => row[column] ?? null;
  const index = texts.indexOf(column);
  return ({ foldings }) => foldings[index] ?? null;
}

/**
 * Creates the entry of a row. It shares the foldings of texts that other entries have, too.
 * @param before the entry of the row before
 * @param like any other entry
 */
export function entryOf(
  schema: ResolvedSchema,
  id: Integer,
  row: StoredRow,
  commit: Entry['commit'],
  before?: Entry,
  like?: Entry,
): Entry {
  const foldings = foldingsOf(schema, row, before, like);
  const contents = { row, foldings };
  const bytes = before
    ? before.bytes + growthOfRow(schema, contents, before)
    : ENTRY_BYTES + bytesOfRow(schema, contents);
  return { id, row, foldings, commit, bytes };
}

/** Returns the bytes of an entry, without the values that it shares with the entry before. */
export function newBytesOf(schema: ResolvedSchema, entry: Entry, before: Entry): number {
  return ENTRY_BYTES + bytesOfRow(schema, entry, before);
}

function foldingsOf(
  { texts }: ResolvedSchema,
  row: StoredRow,
  before: Entry | undefined,
  like: Entry | undefined,
): Entry['foldings'] {
  if (before && haveSame(texts, row, before.row)) return before.foldings;
  if (like && haveSame(texts, row, like.row)) return like.foldings;
  return texts.map((name, i) => {
    const text = row[name];
    if (typeof text !== 'string') return null;
    const same = text === before?.row[name] ? before : text === like?.row[name] ? like : undefined;
    return same?.foldings[i] ?? fold(text);
  });
}

function haveSame(columns: readonly string[], a: StoredRow, b: StoredRow): boolean {
  for (const column of columns) if (a[column] !== b[column]) return false;
  return true;
}
