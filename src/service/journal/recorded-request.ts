import { StringDecoder } from 'node:string_decoder';
import { clock } from '../../lib/clock.ts';
import { type Query, queryOf, type Request } from '../../lib/http/index.ts';
import { mapValues } from '../../lib/json/index.ts';
import type { Masks } from '../../lib/masks.ts';
import { parametersOf } from '../admin/query-parameters.ts';
import type { PatternSubject } from '../admin/request-matching.ts';
import type { JournalEntry } from './journal-entry.ts';

const MAX_CONTENT_BYTES = 4096;

/** The JSON of an entry without its texts, and of the marks around a text, in bytes. */
const ENTRY_BYTES = 200;
const MARK_BYTES = 3;

/**
 * A request in the journal. It keeps parts of the request, and puts them into words when it is read,
 * because most requests are never looked at.
 */
export class RecordedRequest implements PatternSubject {
  readonly method: string;
  /** The path of the request in its list. */
  readonly path: string;
  readonly template: string | undefined;
  readonly receivedAt: number;
  /** The approximate length of its JSON. */
  readonly bytes: number;
  /** The number of its last change in its journal. */
  lastChange = 0;
  status: number | null = null;
  /** The time until its end, in milliseconds. */
  duration: number | null = null;
  readonly #number: number;
  /** When it arrived, in milliseconds since 1970 (UTC). */
  readonly #time: number;
  readonly #target: string;
  readonly #requestId: string | null;
  readonly #headers: Request['headers'];
  /** Bytes as characters: a string of its own. A slice would keep all that the socket has read. */
  readonly #content: string | null;
  readonly #contentBytes: number;

  /** @param path the path of the request in its list @param number the position in its journal */
  constructor(request: Request, path: string, number: number) {
    const { target, headers, content, receivedAt } = request;
    this.method = request.method;
    this.path = path;
    this.template = request.template;
    this.receivedAt = receivedAt;
    this.#number = number;
    this.#time = clock.time() - (clock.now() - receivedAt);
    this.#target = target;
    this.#requestId = request.knownId ?? null;
    this.#headers = headers;
    this.#contentBytes = content.length;
    this.#content = content.length === 0 ? null : content.toString('latin1', 0, MAX_CONTENT_BYTES);
    let bytes = ENTRY_BYTES + target.length;
    bytes += (this.#requestId?.length ?? 0) + (this.#content?.length ?? 0);
    for (const text of request.rawHeaders) bytes += text.length + MARK_BYTES;
    this.bytes = bytes;
  }

  get parameters(): Query['parameters'] {
    return parametersOf(() => queryOf(this.#target));
  }

  hasField(name: string, value: string): boolean {
    const sent = this.#headers[name.toLowerCase()];
    return sent !== undefined && textOfField(sent) === value;
  }

  /** A new object, which later changes leave alone. Filters see what `masks` hide. */
  entry(masks: Masks): JournalEntry {
    return {
      number: this.#number,
      time: new Date(this.#time).toISOString(),
      method: this.method,
      target: masks.target(this.#target),
      route: this.template ?? null,
      status: this.status,
      durationMs: this.duration === null ? null : Math.round(this.duration * 1000) / 1000,
      requestId: this.#requestId,
      headers: mapValues(this.#headers, (value, name) => masks.field(name, textOfField(value))),
      content: this.#content === null ? null : textOf(this.#content),
      contentBytes: this.#contentBytes,
    };
  }
}

function textOfField(value: string | string[] | undefined): string {
  return [value].flat().join(', ');
}

/** Bytes as text in UTF-8, up to the last code point that is complete. */
function textOf(bytes: string): string {
  return new StringDecoder('utf8').write(Buffer.from(bytes, 'latin1'));
}
