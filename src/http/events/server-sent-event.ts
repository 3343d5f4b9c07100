import { type ByteString, byteString, joined } from '../../json/byte-string.ts';

/** One event of a stream (the HTML standard, section 9.2); `data` has no line breaks. */
export interface ServerSentEvent {
  readonly event: ByteString;
  readonly data: ByteString;
}

/** A comment, which clients ignore. */
export const HEARTBEAT = byteString(':\n\n');

/** Tells clients to wait for a second before they connect again. */
export const RETRY = byteString('retry: 1000\n');

const EVENT = byteString('event: ');
const DATA = byteString('\ndata: ');
const END = byteString('\n');

/**
 * The text of an event.
 * @param id a line with its id; may be empty
 */
export function textOf({ event, data }: ServerSentEvent, id: ByteString): ByteString {
  return joined(EVENT, event, DATA, data, END, id, END);
}
