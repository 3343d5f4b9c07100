import { RETRY_MS, statusOf } from '../api/api-request.ts';
import { listOf, parseJson, recordOf, textOf } from '../shared/json.ts';
import type { Admin } from './admin.ts';
import { type Entry, entryOf } from './journal-entry.ts';

/** How long the service may hold a request for the journal, in milliseconds. */
const WAIT_MS = 20_000;

/** The pause after a part of the journal, which combines changes, in milliseconds. */
const PAUSE_MS = 150;

/** The pause between requests of a page that must not hold one, in milliseconds. */
const POLL_MS = 700;

/** The lock of the one page in the browser that may hold a request for a journal. */
const LOCK = 'todo-journal';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Follows the journal while the page is visible and `isWanted`. Calls back with the entries that came
 * or changed, and with whether they belong to another journal than before. Only one page holds a
 * request, because a browser opens six connections to an origin; others ask again and again.
 * @returns a function to call when `isWanted` has changed
 */
export function followJournal(
  admin: Admin,
  isWanted: () => boolean,
  onPart: (entries: readonly Entry[], isOther: boolean) => void,
): () => void {
  let cursor = '';
  let journal = '';
  let following: AbortController | undefined;

  async function readNext(signal: AbortSignal): Promise<string> {
    const path = `requests?after=${encodeURIComponent(cursor)}`;
    const hold = async (lock: Lock | null) =>
      lock === null ? undefined : await admin.read(`${path}&waitMs=${WAIT_MS}`, signal);
    if (cursor === '') return (await admin.read('requests', signal)).text;
    // Locks are absent where the origin is neither https nor of this machine.
    const held = await navigator.locks?.request(LOCK, { ifAvailable: true }, hold);
    if (held !== undefined) return held.text;
    await pause(POLL_MS);
    return (await admin.read(path, signal)).text;
  }

  async function follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && admin.access === 'open') {
      try {
        const { requests, next, ...rest } = recordOf(parseJson(await readNext(signal)));
        const isOther = journal !== '' && rest.journal !== journal;
        cursor = textOf(next);
        journal = textOf(rest.journal);
        onPart(
          listOf(requests).map((each) => entryOf(recordOf(each))),
          isOther,
        );
        await pause(PAUSE_MS);
      } catch (error) {
        if (statusOf(error) === 400) cursor = '';
        await pause(RETRY_MS);
      }
    }
  }

  function changed(): void {
    const isNeeded = admin.access === 'open' && !document.hidden && isWanted();
    if (isNeeded === (following !== undefined)) return;
    following?.abort();
    following = isNeeded ? new AbortController() : undefined;
    // Not awaited, because it runs until it is aborted, and never rejects.
    if (following !== undefined) void follow(following.signal);
  }

  // A hidden page keeps no connection.
  document.addEventListener('visibilitychange', changed);
  admin.addEventListener('access', changed);
  changed();
  return changed;
}
