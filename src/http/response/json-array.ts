import { type ByteString, byteString, joined } from '../../json/byte-string.ts';
import type { Steps } from '../core/steps.ts';

/** The sizes of the first part, which is often the only one, and of others: a few writes. */
const FIRST_PART_BYTES = 256 * 1024;
const PART_BYTES = 64 * 1024;

/** How much text to make in one step: some tenths of a millisecond of work. */
const STEP_BYTES = 32 * 1024;

const NOTHING = byteString('');
const OPENING = byteString('[');
const COMMA = byteString(',');
const CLOSING = byteString(']');

/**
 * Makes the JSON text of a list, part by part, while its rows are found.
 * @param whole receives the text if it is one part, so that it can be cached
 */
export function jsonArray<T>(
  rows: Steps<readonly T[]>,
  serialize: (row: T) => ByteString,
  whole?: (text: ByteString) => void,
): Steps<ByteString> {
  let text = OPENING;
  let partBytes = FIRST_PART_BYTES;

  function takePart(): ByteString | undefined {
    if (text.length < partBytes) return undefined;
    const part = text;
    text = NOTHING;
    partBytes = PART_BYTES;
    return part;
  }

  function* makeParts(): Generator<ByteString | undefined, void> {
    let separator = NOTHING;
    for (let step = rows.next(); !step.done; step = rows.next()) {
      let stepEnd = text.length + STEP_BYTES;
      for (const row of step.value ?? []) {
        text = joined(text, joined(separator, serialize(row)));
        separator = COMMA;
        if (text.length < stepEnd) continue;
        yield takePart();
        stepEnd = text.length + STEP_BYTES;
      }
      yield takePart();
    }
    const last = joined(text, CLOSING);
    text = NOTHING;
    if (partBytes === FIRST_PART_BYTES) whole?.(last);
    yield last;
  }

  const parts = makeParts();
  return {
    next: () => parts.next(),
    get bytes() {
      return (rows.bytes ?? 0) + text.length;
    },
    close: () => rows.close?.(),
  };
}
