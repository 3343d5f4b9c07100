import { StringDecoder } from 'node:string_decoder';
import { clock } from '../../lib/clock.ts';
import type { Request } from '../../lib/http/index.ts';
import { mapValues } from '../../lib/json/index.ts';
import { PendingWaits } from '../../lib/pending-waits.ts';
import { MASK, withoutUserinfo } from '../../lib/printable.ts';
import { isInScope } from '../admin/request-scope.ts';
import type { ListPart } from '../todo/todo-list.ts';
import type { JournalEntry, JournalFilter } from './journal-entry.ts';

export const MAX_ENTRIES = 1000;

const MAX_CONTENT_BYTES = 4096;

/** Names of header fields whose values may be secrets. */
const SECRET = /^(?:proxy-)?authorization$|^cookie$|token|secret|api-?key/;

interface Recorded extends Pick<Request, 'method' | 'template' | 'receivedAt'> {
  /** The path of the request in its list. */
  readonly path: string;
  readonly bytes: number;
  entry: JournalEntry;
}

/** The last requests of a list, so that a test can check the requests of its client. */
export class Journal implements ListPart {
  readonly #maxBytes: number;
  #recorded: Recorded[] = [];
  #bytes = 0;
  /** Ended when another list is in the place of this one, and by a stop. */
  readonly waits = new PendingWaits();

  /** @param maxBytes the maximum memory of the entries */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Copies of the entries that match a filter, oldest first. */
  list(filter: JournalFilter = {}): readonly JournalEntry[] {
    const found = this.#find(filter).sort((a, b) => a.receivedAt - b.receivedAt);
    return found.map(({ entry }) => ({ ...entry, headers: { ...entry.headers } }));
  }

  /** Waits until `count` entries match, for at most `ms` milliseconds, or until a stop. */
  wait(filter: JournalFilter, count: number, ms: number, request?: Request): Promise<void> {
    return this.waits.until(() => this.#find(filter).length >= count, ms, request);
  }

  /** Ends all present and future waits. */
  end(): void {
    this.waits.end();
  }

  clear(): void {
    this.#recorded = [];
    this.#bytes = 0;
  }

  /** Records a request, and its response. @param path the path in its list */
  record(request: Request, path: string): void {
    const recorded = recordOf(request, path);
    this.#add(recorded);
    recordEnd(recorded, request);
    request.onResponse((response) => {
      if (response.abort || request.isDisconnected) return response;
      recorded.entry = { ...recorded.entry, status: response.status };
      this.waits.check();
      return response;
    });
  }

  #find({ status, requestHeaders = {}, ...scope }: JournalFilter): Recorded[] {
    const fields = Object.entries(requestHeaders);
    return this.#recorded.filter(
      (each) =>
        isInScope(scope, each) &&
        (status === undefined || status === each.entry.status) &&
        fields.every(([name, value]) => each.entry.headers[name.toLowerCase()] === value),
    );
  }

  #add(recorded: Recorded): void {
    this.#recorded.push(recorded);
    this.#bytes += recorded.bytes;
    while (this.#recorded.length > MAX_ENTRIES || this.#bytes > this.#maxBytes) {
      this.#bytes -= this.#recorded.shift()?.bytes ?? 0;
    }
    this.waits.check();
  }
}

/** A function of its own, because a closure of the journal would keep it as long as the request. */
function recordEnd(recorded: Recorded, request: Request): void {
  request.onEnd(() => {
    const durationMs = Math.round((clock.now() - request.receivedAt) * 1000) / 1000;
    recorded.entry = { ...recorded.entry, durationMs };
  });
}

function recordOf(request: Request, path: string): Recorded {
  const { method, target, template, knownId, headers, content, receivedAt } = request;
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
