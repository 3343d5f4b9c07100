import { StringDecoder } from 'node:string_decoder';
import { clock } from '../../../lib/clock.ts';
import {
  type Middleware,
  mapResponse,
  type Request,
  type Response,
} from '../../../lib/http/index.ts';
import { isExempt } from '../feature.ts';
import type { JournalEntry } from './journal-entry.ts';

/** Which entries to return; the newest `limit` of them. */
export interface JournalFilter {
  readonly method?: string | undefined;
  /** A prefix of the path. */
  readonly path?: string | undefined;
  readonly status?: number | null | undefined;
  readonly limit?: number | undefined;
}

const MAX_ENTRIES = 1000;
const MAX_BYTES = 1024 * 1024;

/** How much of a request's content is kept, in bytes. */
const MAX_CONTENT_BYTES = 4096;

/** Header fields that are not kept, because they may be secret. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];

/** An entry, and what is not shown of it. */
interface Kept extends Pick<Request, 'path' | 'receivedAt'> {
  readonly entry: JournalEntry;
  readonly bytes: number;
}

/** The last requests, oldest first, for tests that ask what a client has sent. */
export class Journal {
  #entries: Kept[] = [];
  #bytes = 0;

  /** The entries that match a filter, oldest first. */
  list({ method, path = '', status, limit }: JournalFilter = {}): readonly JournalEntry[] {
    const found = this.#entries.filter(
      ({ entry, path: requested }) =>
        (method === undefined || entry.method === method) &&
        (status === undefined || entry.status === status) &&
        requested.startsWith(path),
    );
    found.sort((a, b) => a.receivedAt - b.receivedAt);
    const from = limit === undefined ? 0 : Math.max(0, found.length - limit);
    return found.slice(from).map(({ entry }) => entry);
  }

  clear(): void {
    this.#entries = [];
    this.#bytes = 0;
  }

  /** Goes around everything that may respond. An entry is there before the response is sent. */
  readonly middleware: Middleware = (next) => (request) => {
    if (isExempt(request.path)) return next(request);
    return mapResponse(next(request), request, this.#add);
  };

  readonly #add = (response: Response, request: Request): Response => {
    const entry = entryOf(request, response);
    const bytes = Buffer.byteLength(JSON.stringify(entry));
    const { path, receivedAt } = request;
    this.#entries.push({ entry, path, bytes, receivedAt });
    this.#bytes += bytes;
    while (this.#entries.length > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      this.#bytes -= this.#entries.shift()?.bytes ?? 0;
    }
    return response;
  };
}

function entryOf(request: Request, { status, isAborted }: Response): JournalEntry {
  const { method, target, template, knownId, headers, content, receivedAt } = request;
  const durationMs = clock.now() - receivedAt;
  const kept = Object.entries(headers).filter(([name]) => !CREDENTIALS.includes(name));
  return {
    time: new Date(clock.time() - durationMs).toISOString(),
    method,
    target,
    route: template ?? null,
    status: isAborted ? null : status,
    durationMs: Math.round(durationMs * 1000) / 1000,
    requestId: knownId ?? null,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, [value].flat().join(', ')])),
    content: content.length === 0 ? null : beginningOf(content),
    contentBytes: content.length,
  };
}

/** The beginning of content as text, up to the last code point that fits. */
function beginningOf(content: Buffer): string {
  if (content.length <= MAX_CONTENT_BYTES) return content.toString();
  return new StringDecoder('utf8').write(content.subarray(0, MAX_CONTENT_BYTES));
}
