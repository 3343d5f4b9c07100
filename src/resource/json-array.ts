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

/** The JSON text of a list: whole where that is short work, else in slices, each of them short work. */
export function jsonArray(rows: Steps, write: Writer): string | Generator<string, void> {
  const slices = jsonArraySlices(rows, write);
  let text = '';
  for (let count = 0; count <= WHOLE_SLICES; count++) {
    const slice = slices.next();
    if (slice.done) return text;
    text += slice.value;
  }
  return resumed(text, slices);
}

function* resumed(first: string, rest: Generator<string, void>): Generator<string, void> {
  yield first;
  yield* rest;
}

function* jsonArraySlices(rows: Steps, write: Writer): Generator<string, void> {
  let slice = '[';
  let separator = '';
  let steps = 0;
  for (let found = rows.step(); found !== undefined; found = rows.step()) {
    for (const row of found) {
      slice += separator + write(row);
      separator = ',';
      if (slice.length < SLICE_CHARACTERS) continue;
      yield slice;
      slice = '';
      steps = 0;
    }
    if (++steps < STEPS_PER_SLICE) continue;
    yield slice;
    slice = '';
    steps = 0;
  }
  yield `${slice}]`;
}
