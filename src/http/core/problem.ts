import { type ByteString, byteString } from '../../json/byte-string.ts';
import type { HeaderFields, Response } from './response.ts';
import { uriReference } from './uri.ts';

/**
 * Every error the service can answer, once: the stable `code` a client branches on, the status of
 * RFC 9110 it comes with, and a title that is the same for every occurrence. `docs/errors.md` is
 * checked against this table.
 */
export const PROBLEMS = {
  'malformed-request': { status: 400, title: 'Malformed request' },
  'malformed-query': { status: 400, title: 'Malformed query string' },
  'invalid-parameter': { status: 400, title: 'Invalid query parameter' },
  'invalid-id': { status: 400, title: 'Invalid id' },
  'invalid-precondition': { status: 400, title: 'Invalid precondition' },
  'malformed-body': { status: 400, title: 'Malformed request body' },
  'validation-failed': { status: 400, title: 'Validation failed' },
  unauthorized: { status: 401, title: 'Unauthorized' },
  'unknown-path': { status: 404, title: 'Unknown path' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-acceptable': { status: 406, title: 'Not acceptable' },
  'request-timeout': { status: 408, title: 'Request timeout' },
  'precondition-failed': { status: 412, title: 'Precondition failed' },
  'content-too-large': { status: 413, title: 'Content too large' },
  'uri-too-long': { status: 414, title: 'URI too long' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'expectation-failed': { status: 417, title: 'Expectation failed' },
  'header-fields-too-large': { status: 431, title: 'Request header fields too large' },
  'internal-error': { status: 500, title: 'Internal server error' },
  'not-implemented': { status: 501, title: 'Not implemented' },
  draining: { status: 503, title: 'Shutting down' },
  overloaded: { status: 503, title: 'Overloaded' },
  'injected-fault': { status: 503, title: 'Injected fault' },
  'http-version-not-supported': { status: 505, title: 'HTTP version not supported' },
  'store-full': { status: 507, title: 'Store full' },
  'ids-exhausted': { status: 507, title: 'Ids exhausted' },
} as const satisfies Record<string, { status: number; title: string }>;

/** A stable, machine-readable name of an error. */
export type ProblemCode = keyof typeof PROBLEMS;

/**
 * Every rule that a request's content can break, once: the stable `code` of an entry of `errors`.
 * `docs/errors.md` is checked against this table.
 */
export const VIOLATION_CODES = [
  ...(['required', 'not-null', 'type', 'well-formed', 'not-blank'] as const),
  ...(['min-length', 'max-length', 'minimum', 'maximum', 'value', 'unknown'] as const),
] as const;

/** A stable, machine-readable name of a rule. */
export type ViolationCode = (typeof VIOLATION_CODES)[number];

/**
 * One rule that a request's content breaks: where (a JSON pointer, RFC 6901, as a URI fragment),
 * which rule, and what is allowed.
 */
export interface Violation {
  readonly pointer: string;
  readonly code: ViolationCode;
  readonly detail: string;
}

/** What a problem carries beside its code and its sentence. */
export interface ProblemOptions {
  /** Header fields the response needs, such as `Allow`. */
  readonly headers?: HeaderFields;
  readonly errors?: readonly Violation[];
  /**
   * The connection ends after this response: what follows on it cannot be trusted or is not wanted.
   */
  readonly close?: boolean;
  /** Another status than that of the code. */
  readonly status?: number;
}

/** Thrown anywhere on a request's way to end it with this response instead. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly headers: HeaderFields;
  readonly errors: readonly Violation[] | undefined;
  readonly close: boolean;
  readonly status: number;

  /** @param detail what is wrong with this request and what to change, for a person to read */
  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.code = code;
    this.headers = options.headers ?? {};
    this.errors = options.errors;
    this.close = options.close ?? false;
    this.status = options.status ?? PROBLEMS[code].status;
  }

  /**
   * The content of the response (RFC 9457, section 3.1).
   * @param instance the URI reference that identifies this occurrence
   */
  toJson(instance: string): ByteString {
    const text = JSON.stringify({
      type: `urn:problem-type:todo-service:${this.code}`,
      title: PROBLEMS[this.code].title,
      status: this.status,
      detail: this.message,
      instance,
      code: this.code,
      errors: this.errors,
    });
    return byteString(text);
  }

  /** The response to a request for this path. */
  toResponse(path: string): Response {
    return {
      status: this.status,
      headers: this.headers,
      mediaType: PROBLEM_MEDIA_TYPE,
      content: this.toJson(instanceOf(path)),
      close: this.close,
    };
  }
}

/** The media type of every error (RFC 9457, section 3). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The path as a URI reference; where no path is known, a name of its own for the occurrence. */
function instanceOf(path: string): string {
  return path === '' ? `urn:uuid:${crypto.randomUUID()}` : uriReference(path);
}
