import { StringDecoder } from 'node:string_decoder';
import { clock } from '../../../lib/clock.ts';
import { type Middleware, mapResponse, type Request } from '../../../lib/http/index.ts';
import { withoutUserinfo } from '../../../lib/printable.ts';
import { isExempt } from '../feature.ts';
import type { JournalEntry, JournalFilter } from './journal-entry.ts';
import { isAt } from './matching.ts';
import { isOfFormerWorld, Waits } from './world.ts';

const MAX_ENTRIES = 1000;
const MAX_BYTES = 1024 * 1024;

/** What status and duration may add to an entry in JSON, in bytes. */
const OUTCOME_BYTES = 6;

/** How much of a request's content is kept, in bytes. */
const MAX_CONTENT_BYTES = 4096;

/** Header fields that are not kept, because they may be secret. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];

/** A request that is recorded, and what becomes of it. */
interface Recorded extends Pick<Request, 'method' | 'path' | 'template' | 'receivedAt'> {
  readonly entry: Omit<JournalEntry, 'status' | 'durationMs'>;
  readonly bytes: number;
  status: number | null;
  durationMs: number | null;
}

/** The last requests, oldest first, for tests that ask what a client has sent. */
export class Journal {
  #recorded: Recorded[] = [];
  #bytes = 0;
  readonly #waits = new Waits();

  get hasStopped(): boolean {
    return this.#waits.hasEnded;
  }

  /** Copies of the entries that match a filter, oldest first. */
  list(filter: JournalFilter = {}): readonly JournalEntry[] {
    const found = this.#find(filter).sort((a, b) => a.receivedAt - b.receivedAt);
    const from = filter.limit === undefined ? 0 : Math.max(0, found.length - filter.limit);
    return found.slice(from).map(({ entry, status, durationMs }) => {
      const { time, method, target, route, headers, ...sent } = entry;
      const outcome = { status, durationMs };
      return { time, method, target, route, ...outcome, headers: { ...headers }, ...sent };
    });
  }

  /**
   * Waits until so many entries match, but no longer than a time in milliseconds, nor than the
   * service is there.
   * @param request the one that waits, if there is one
   */
  wait(filter: JournalFilter, count: number, ms: number, request?: Request): Promise<void> {
    return this.#waits.until(() => this.#find(filter).length >= count, ms, request);
  }

  clear(): void {
    this.#recorded = [];
    this.#bytes = 0;
  }

  /** Nobody waits for requests any more. */
  stop(): void {
    this.#waits.end();
  }

  /** Goes around everything that may respond. */
  readonly middleware: Middleware = (next) => (request) => {
    if (isExempt(request.localPath) || isOfFormerWorld(request)) return next(request);
    const recorded = recordOf(request);
    this.#add(recorded);
    request.onEnd(() => {
      recorded.durationMs = Math.round((clock.now() - request.receivedAt) * 1000) / 1000;
    });
    return mapResponse(next(request), request, (response) => {
      if (response.isAborted || request.isGone) return response;
      recorded.status = response.status;
      this.#waits.check();
      return response;
    });
  };

  #find({ status, ...scope }: JournalFilter): Recorded[] {
    return this.#recorded.filter(
      (each) => isAt(scope, each) && (status === undefined || each.status === status),
    );
  }

  #add(recorded: Recorded): void {
    this.#recorded.push(recorded);
    this.#bytes += recorded.bytes;
    while (this.#recorded.length > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      this.#bytes -= this.#recorded.shift()?.bytes ?? 0;
    }
    this.#waits.check();
  }
}

function recordOf(request: Request): Recorded {
  const { method, target, path, template, knownId, headers, content, receivedAt } = request;
  const kept = Object.entries(headers).filter(([name]) => !CREDENTIALS.includes(name));
  const entry = {
    time: new Date(clock.time() - clock.now() + receivedAt).toISOString(),
    method,
    target: withoutUserinfo(target),
    route: template ?? null,
    requestId: knownId ?? null,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, textOfField(value)])),
    content: content.length === 0 ? null : beginningOf(content),
    contentBytes: content.length,
  };
  const outcome = { status: null, durationMs: null };
  const bytes = Buffer.byteLength(JSON.stringify({ ...entry, ...outcome })) + OUTCOME_BYTES;
  return { entry, bytes, method, path, template, receivedAt, ...outcome };
}

/** The value of a header field, such as `Referer`, without the password of a URL in it. */
function textOfField(value: string | readonly string[] | undefined): string {
  return withoutUserinfo([value].flat().join(', '));
}

/** The beginning of content as text, up to the last code point that fits. */
function beginningOf(content: Buffer): string {
  if (content.length <= MAX_CONTENT_BYTES) return content.toString();
  return new StringDecoder('utf8').write(content.subarray(0, MAX_CONTENT_BYTES));
}
