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

/** Browsers drop events without data. */
const NO_DATA = byteString('{}');

/** The first event of a stream. */
export const READY: ServerSentEvent = { event: byteString('ready'), data: NO_DATA };

/** Tells clients to fetch everything again. */
export const RESET: ServerSentEvent = { event: byteString('reset'), data: NO_DATA };

const NOTHING = byteString('');
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

/** The text of events, of which the last one has an id. */
export function textOfEvents(events: readonly ServerSentEvent[], id: ByteString): ByteString {
  const last = events.length - 1;
  return events.reduce(
    (text, event, i) => joined(text, textOf(event, i === last ? id : NOTHING)),
    NOTHING,
  );
}
