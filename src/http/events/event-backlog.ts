import { type ByteString, joined } from '../../json/byte-string.ts';
import { Problem } from '../core/problem.ts';
import type { StreamWriter } from '../core/response.ts';
import type { CommitEvents } from './event-history.ts';

/** Commits that a client has missed and that are kept elsewhere. */
export interface EventBacklog {
  /**
   * Reads the next page: at least one commit, or undefined if there is no more to read.
   * @throws Problem if it cannot be read now
   */
  next(): Promise<readonly CommitEvents[] | undefined>;
}

/** How the sending of a backlog is guided. */
export interface BacklogGuide {
  readonly toText: (commit: CommitEvents) => ByteString;
  /** Whether the client can do without the commits after the one with a number. */
  readonly isEnough: (number: number) => boolean;
  /** Whether the stream is still open. Nothing is written to one that is not. */
  readonly isOpen: () => boolean;
}

/**
 * Sends a backlog, page by page, as fast as the client reads it.
 * @returns the number of the last commit sent; undefined if the stream is no longer open, or the
 * rest cannot be read
 */
export async function sendBacklog(
  writer: StreamWriter,
  backlog: EventBacklog,
  { toText, isEnough, isOpen }: BacklogGuide,
): Promise<number | undefined> {
  let goOn = () => {};
  writer.onDrain(() => goOn());
  writer.onClose(() => goOn());
  for (;;) {
    const page = await textOf(backlog, toText);
    if (page === undefined || !isOpen()) return undefined;
    writer.write(page.text);
    if (isEnough(page.last)) return page.last;
    if (!writer.isDrained) {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    }
    if (!isOpen()) return undefined;
  }
}

/** The text of the next page, and the number of its last commit; undefined if there is none. */
async function textOf(
  backlog: EventBacklog,
  toText: (commit: CommitEvents) => ByteString,
): Promise<{ readonly text: ByteString; readonly last: number } | undefined> {
  try {
    const page = await backlog.next();
    const last = page?.at(-1)?.number;
    return page && last !== undefined ? { text: joined(...page.map(toText)), last } : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
