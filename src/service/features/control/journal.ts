import { StringDecoder } from 'node:string_decoder';
import { clock } from '../../../lib/clock.ts';
import { type Middleware, mapResponse, type Request } from '../../../lib/http/index.ts';
import type { JsonObject } from '../../../lib/json/index.ts';
import { withoutUserinfo } from '../../../lib/printable.ts';
import { Waits } from '../../../lib/waits.ts';
import type { JournalEntry, JournalFilter } from './journal-entry.ts';
import { checkedObject, range } from './member-rule.ts';
import { type ConditionMember, type KnownPaths, scopeMembers } from './scope.ts';

const MAX_ENTRIES = 1000;
const MAX_BYTES = 1024 * 1024;

/** The bytes that status and duration may add to the JSON of an entry. */
const OUTCOME_BYTES = 6;

const MAX_CONTENT_BYTES = 4096;

/** Header fields that may contain secrets, and are not recorded. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];

interface Recorded extends Pick<Request, 'method' | 'path' | 'template' | 'receivedAt'> {
  readonly bytes: number;
  entry: JournalEntry;
}

/** The last requests, so that a test can check the requests of its client. */
export class Journal {
  /** The members of a filter. */
  readonly members: ReturnType<typeof filterMembers>;
  #recorded: Recorded[] = [];
  #bytes = 0;
  /** Ended by a stop. */
  readonly waits = new Waits();

  constructor(paths: KnownPaths) {
    this.members = filterMembers(paths);
  }

  /** Checks a filter of a program. @returns a copy @throws TypeError that names the violation */
  checkFilter(filter: unknown = {}): JournalFilter {
    return checkedObject(filter, this.members, 'the filter is invalid');
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

  clear(): void {
    this.#recorded = [];
    this.#bytes = 0;
  }

  readonly middleware: Middleware = (next) => (request) => {
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

  #find(filter: JournalFilter): Recorded[] {
    const values: JsonObject = { ...filter };
    const members = Object.entries<ConditionMember<unknown, Recorded>>(this.members);
    const conditions = members.filter(([name]) => values[name] !== undefined);
    return this.#recorded.filter((each) =>
      conditions.every(([name, member]) => member.matches(values[name], each)),
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

function filterMembers(paths: KnownPaths) {
  const status = range('integer', 100, 599);
  return {
    ...scopeMembers(paths),
    status: {
      ...status,
      // Null finds the requests without a response; a query string cannot express it.
      accepts: (value) => value === null || status.accepts(value),
      matches: (value, { entry }) => value === entry.status,
    },
  } as const satisfies Record<keyof JournalFilter, ConditionMember<unknown, Recorded>>;
}

function recordOf(request: Request): Recorded {
  const { method, target, path, template, knownId, headers, content, receivedAt } = request;
  const kept = Object.entries(headers).filter(([name]) => !CREDENTIALS.includes(name));
  const entry: JournalEntry = {
    time: new Date(clock.time() - clock.now() + receivedAt).toISOString(),
    method,
    target: withoutUserinfo(target),
    route: template ?? null,
    status: null,
    durationMs: null,
    requestId: knownId ?? null,
    // A URL, for example in `Referer`, may contain a password.
    headers: Object.fromEntries(
      kept.map(([name, value]) => [name, withoutUserinfo([value].flat().join(', '))]),
    ),
    content: content.length === 0 ? null : beginningOf(content),
    contentBytes: content.length,
  };
  const bytes = Buffer.byteLength(JSON.stringify(entry)) + OUTCOME_BYTES;
  return { method, path, template, receivedAt, bytes, entry };
}

/** The beginning of content as text, up to the last code point that fits. */
function beginningOf(content: Buffer): string {
  return new StringDecoder('utf8').write(content.subarray(0, MAX_CONTENT_BYTES));
}
