import { type ByteString, byteString, joined } from '../http/byte-string.ts';
import type { FieldValues } from './field.ts';
import type { Writer } from './writer.ts';

/** Rows that are looked for step by step, each step short work; a step that finds none gives an empty list. */
export interface Steps {
  step(): readonly FieldValues[] | undefined;
}

/** How much text makes a slice: a few writes of a socket, a fraction of a millisecond of work. */
const SLICE_CHARACTERS = 64 * 1024;

/** How many steps without a row make an empty slice, so that a long search lets other work in between. */
const STEPS_PER_SLICE = 8;

/** A list of so few slices is short work as a whole: about a millisecond. */
const WHOLE_SLICES = 8;

const NOTHING = byteString('');
const OPENING = byteString('[');
const COMMA = byteString(',');
const CLOSING = byteString(']');

/** The JSON text of a list: whole where that is short work, else in slices, each of them short work. */
export function jsonArray(rows: Steps, write: Writer): ByteString | Generator<ByteString, void> {
  const slices = jsonArraySlices(rows, write);
  let text = NOTHING;
  for (let count = 0; count <= WHOLE_SLICES; count++) {
    const slice = slices.next();
    if (slice.done) return text;
    text = joined(text, slice.value);
  }
  return resumed(text, slices);
}

function* resumed(
  first: ByteString,
  rest: Generator<ByteString, void>,
): Generator<ByteString, void> {
  yield first;
  yield* rest;
}

function* jsonArraySlices(rows: Steps, write: Writer): Generator<ByteString, void> {
  let slice = OPENING;
  let separator = NOTHING;
  let steps = 0;
  for (let found = rows.step(); found !== undefined; found = rows.step()) {
    for (const row of found) {
      slice = joined(slice, joined(separator, write(row)));
      separator = COMMA;
      if (slice.length < SLICE_CHARACTERS) continue;
      yield slice;
      slice = NOTHING;
      steps = 0;
    }
    if (++steps < STEPS_PER_SLICE) continue;
    yield slice;
    slice = NOTHING;
    steps = 0;
  }
  yield joined(slice, CLOSING);
}
