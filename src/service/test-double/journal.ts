import { StringDecoder } from 'node:string_decoder';
import { clock } from '../../lib/clock.ts';
import { type Middleware, mapResponse, type Request } from '../../lib/http/index.ts';
import { mapValues } from '../../lib/json/index.ts';
import { withoutUserinfo } from '../../lib/printable.ts';
import { Waits } from '../../lib/waits.ts';
import { isExempt } from '../exempt-paths.ts';
import { type Member, object, range } from '../resource/shape.ts';
import type { JournalEntry, JournalFilter } from './journal-entry.ts';
import { isInScope, type KnownPaths, scopeMembers } from './scope.ts';

const MAX_ENTRIES = 1000;
const MAX_BYTES = 1024 * 1024;

/** How many requests a test can wait for. */
export const REQUEST_COUNT = range('integer', 1, MAX_ENTRIES);

const MAX_CONTENT_BYTES = 4096;

/** Names of header fields whose values may be secrets. */
const SECRET = /^(?:proxy-)?authorization$|^cookie$|token|secret|api-?key/;

/** Replaces a value that may be a secret, so that a test can see that it was sent. */
const MASK = '[…]';

interface Recorded extends Pick<Request, 'method' | 'path' | 'template' | 'receivedAt'> {
  readonly bytes: number;
  entry: JournalEntry;
}

/** The last requests, so that a test can check the requests of its client. */
export class Journal {
  #recorded: Recorded[] = [];
  #bytes = 0;
  /** Ended by a stop. */
  readonly waits = new Waits();

  /** Copies of the entries that match a filter, oldest first. */
  list(filter: JournalFilter = {}): readonly JournalEntry[] {
    const found = this.#find(filter).sort((a, b) => a.receivedAt - b.receivedAt);
    return found.map(({ entry }) => ({ ...entry, headers: { ...entry.headers } }));
  }

  /** Waits until `count` entries match, for at most `ms` milliseconds, or until a stop. */
  wait(filter: JournalFilter, count: number, ms: number, request?: Request): Promise<void> {
    return this.waits.until(() => this.#find(filter).length >= count, ms, request);
  }

  clear(): void {
    this.#recorded = [];
    this.#bytes = 0;
  }

  readonly middleware: Middleware = (next) => (request) => {
    if (isExempt(request.localPath)) return next(request);
    const recorded = recordOf(request);
    this.#add(recorded);
    request.onEnd(() => {
      const durationMs = Math.round((clock.now() - request.receivedAt) * 1000) / 1000;
      recorded.entry = { ...recorded.entry, durationMs };
    });
    return mapResponse(next(request), request, (response) => {
      if (response.abort || request.isDisconnected) return response;
      recorded.entry = { ...recorded.entry, status: response.status };
      this.waits.check();
      return response;
    });
  };

  #find({ status, ...scope }: JournalFilter): Recorded[] {
    return this.#recorded.filter(
      (each) => isInScope(scope, each) && (status === undefined || status === each.entry.status),
    );
  }

  #add(recorded: Recorded): void {
    this.#recorded.push(recorded);
    this.#bytes += recorded.bytes;
    while (this.#recorded.length > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      this.#bytes -= this.#recorded.shift()?.bytes ?? 0;
    }
    this.waits.check();
  }
}

/** The shape of a filter. */
export function journalFilter(paths: KnownPaths) {
  const status: Member<number> = { ...range('integer', 100, 599), ifNull: 'is a value' };
  return object<JournalFilter>({ ...scopeMembers(paths), status });
}

function recordOf(request: Request): Recorded {
  const { method, target, path, template, knownId, headers, content, receivedAt } = request;
  const ageMs = clock.now() - receivedAt;
  const entry: JournalEntry = {
    time: new Date(clock.time() - ageMs).toISOString(),
    method,
    target: withoutUserinfo(target),
    route: template ?? null,
    status: null,
    durationMs: null,
    requestId: knownId ?? null,
    // A URL, for example in `Referer`, may contain a password.
    headers: mapValues(headers, (value, name) =>
      SECRET.test(name) ? MASK : withoutUserinfo([value].flat().join(', ')),
    ),
    content: content.length === 0 ? null : beginningOf(content),
    contentBytes: content.length,
  };
  const bytes = Buffer.byteLength(JSON.stringify(entry));
  return { method, path, template, receivedAt, bytes, entry };
}

/** The beginning of content as text, up to the last code point that fits. */
function beginningOf(content: Buffer): string {
  return new StringDecoder('utf8').write(content.subarray(0, MAX_CONTENT_BYTES));
}
