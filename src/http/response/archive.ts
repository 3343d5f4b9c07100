import { type ByteString, joined } from '../../json/byte-string.ts';
import type { Sink } from '../core/response.ts';
import type { ServerSentEvent } from './server-sent-event.ts';

/** The events of one commit, and its number. */
export interface CommitEvents {
  readonly number: number;
  readonly events: readonly ServerSentEvent[];
}

/** Commits that a client has missed and that are kept elsewhere, in pages of at least one. */
export interface Archive {
  readonly firstPage: readonly CommitEvents[];
  /** The page after the commit with a number; undefined if it cannot be read any more. */
  after(number: number): Promise<readonly CommitEvents[] | undefined>;
}

/**
 * Sends an archive, page by page, as fast as the client reads it.
 * @param isEnough whether the client can do without the commits after the one with a number
 * @returns the number of the last commit sent; undefined if the client has disconnected, or the
 * rest cannot be read
 */
export async function sendArchive(
  sink: Sink,
  { firstPage, after }: Archive,
  toText: (commit: CommitEvents) => ByteString,
  isEnough: (number: number) => boolean,
): Promise<number | undefined> {
  let isClosed = false;
  let goOn = () => {};
  sink.onDrain(() => goOn());
  sink.onClose(() => {
    isClosed = true;
    goOn();
  });
  for (let page: typeof firstPage | undefined = firstPage; page; ) {
    sink.write(joined(...page.map(toText)));
    const last = page.at(-1)?.number;
    if (last === undefined || isEnough(last)) return last;
    if (!sink.isDrained) {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    }
    if (isClosed) return undefined;
    page = await after(last);
    if (isClosed) return undefined;
  }
  return undefined;
}
