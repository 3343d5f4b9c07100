import { canonicalInteger, type Integer, integerIn } from '../schema/integer.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import { firstIndex } from './bisect.ts';
import { Chunk, replaceAt, type Write } from './chunk.ts';
import type { Entry } from './entry.ts';
import { CHUNK_SLOTS } from './mask.ts';

/** All rows of a table at one moment. It never changes: a write makes the next state. */
export interface State {
  /** In ascending order of their numbers. */
  readonly chunks: readonly Chunk[];
  /** The number of rows. */
  readonly size: number;
  /** The memory of the chunks, in bytes. */
  readonly bytes: number;
  /** The id of the next inserted row. */
  readonly nextId: Integer;
}

/** Returns the state without rows. */
export function emptyState({ identity }: ResolvedSchema): State {
  return { chunks: [], size: 0, bytes: 0, nextId: identity.first };
}

/** Returns the entry with an id; undefined if there is none, or if the value is not an id. */
export function find(state: State, value: unknown): Entry | undefined {
  const id = integerIn(value);
  return id === undefined ? undefined : chunkAt(state, chunkNumberOf(id))?.find(id);
}

/** Returns the chunk with a number; undefined if it has no rows. */
export function chunkAt({ chunks }: State, number: Integer): Chunk | undefined {
  const chunk = chunks[indexFrom(chunks, number)];
  return chunk?.number === number ? chunk : undefined;
}

/** Returns the state after a write. @param id the id of the written row */
export function stateWith(state: State, id: Integer, write: Write): State {
  const { before, after } = write;
  const number = chunkNumberOf(id);
  const at = indexFrom(state.chunks, number);
  const found = state.chunks[at];
  const chunk = found?.number === number ? found : undefined;
  const newer = chunk ? chunk.with(id, write) : after && Chunk.of(number, after);
  const { chunks, size, bytes, nextId } = state;
  return {
    chunks: replaceAt(chunks, at, chunk, newer),
    size: size + Number(after !== undefined) - Number(before !== undefined),
    bytes: bytes + (newer?.bytes ?? 0) - (chunk?.bytes ?? 0),
    nextId,
  };
}

/** Returns the number of the chunk of an id. Exact for ids of 64 bits. */
function chunkNumberOf(id: Integer): Integer {
  if (typeof id === 'number') return Math.floor(id / CHUNK_SLOTS);
  return canonicalInteger(id >> BigInt(Math.log2(CHUNK_SLOTS)));
}

/** Returns the index of the first chunk whose number is not lower. */
function indexFrom(chunks: readonly Chunk[], number: Integer): number {
  // Right unless a chunk is missing, or there is none at all.
  const guess = Number(number) - Number(chunks[0]?.number);
  return chunks[guess]?.number === number ? guess : bisectFrom(chunks, number);
}

function bisectFrom(chunks: readonly Chunk[], number: Integer): number {
  return firstIndex(0, chunks.length, (index) => (chunks[index]?.number ?? number) >= number);
}
