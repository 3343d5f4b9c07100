import { byteString } from '../../json/index.ts';
import type { HeaderFields, Response } from './response.ts';
import { uriReference } from './uri.ts';

/** A kind of error. */
export interface ProblemType {
  /** A stable, machine-readable name for clients to branch on. */
  readonly code: string;
  /** The status (RFC 9110). Each problem can override it; 500 by default. */
  readonly status?: number;
  readonly title: string;
}

/** The errors that any part of the service can respond with, by code. */
export const PROBLEMS = {
  'malformed-request': { status: 400, title: 'Malformed request' },
  'malformed-query': { status: 400, title: 'Malformed query string' },
  'invalid-parameter': { status: 400, title: 'Invalid query parameter' },
  'invalid-precondition': { status: 400, title: 'Invalid precondition' },
  'malformed-body': { status: 400, title: 'Malformed content' },
  'validation-failed': { status: 400, title: 'Validation failed' },
  'unknown-path': { status: 404, title: 'Unknown path' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-acceptable': { status: 406, title: 'Not acceptable' },
  'request-timeout': { status: 408, title: 'Request timeout' },
  'precondition-failed': { status: 412, title: 'Precondition failed' },
  'content-too-large': { status: 413, title: 'Content too large' },
  'uri-too-long': { status: 414, title: 'URI too long' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'expectation-failed': { status: 417, title: 'Expectation failed' },
  'misdirected-request': { status: 421, title: 'Misdirected request' },
  'header-fields-too-large': { status: 431, title: 'Request header fields too large' },
  'internal-error': { status: 500, title: 'Internal server error' },
  'not-implemented': { status: 501, title: 'Not implemented' },
  draining: { status: 503, title: 'Shutting down' },
  overloaded: { status: 503, title: 'Overloaded' },
  'http-version-not-supported': { status: 505, title: 'HTTP version not supported' },
} as const satisfies Record<string, Omit<ProblemType, 'code'>>;

/** The code of an error that any part of the service can respond with. */
export type ProblemCode = keyof typeof PROBLEMS;

/** A rule that content violates, and the place in the content. */
export interface Violation {
  /** The place, as a JSON pointer (RFC 6901). */
  readonly pointer: string;
  /** A stable, machine-readable name of the rule. */
  readonly code: string;
  /** The rule in words. */
  readonly detail: string;
}

/** A parameter of a query string that is refused, and the reason. */
export interface ParameterError {
  /** The name of the parameter, as sent. */
  readonly parameter: string;
  /** A stable, machine-readable name of the reason. */
  readonly code: string;
  /** The reason in words: a sentence with the name. */
  readonly detail: string;
}

/** The default prefix of the URIs of problem types. */
const DEFAULT_TYPES = 'urn:problem-type:';

/** The media type of all errors (RFC 9457, section 3). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Optional properties of a problem. */
export interface ProblemOptions {
  readonly headers?: HeaderFields;
  readonly errors?: readonly (Violation | ParameterError)[];
  /** The connection closes after this response, because bytes that follow cannot be trusted. */
  readonly close?: boolean;
  /** Overrides the status of its type. */
  readonly status?: number;
  /** The reason by which a metric counts it, if something is used up. */
  readonly shortage?: string;
}

/** Thrown anywhere while a request is handled, to end it with this response. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;
  readonly title: string;
  readonly headers: HeaderFields;
  readonly errors: readonly (Violation | ParameterError)[] | undefined;
  readonly close: boolean;
  readonly status: number;
  readonly shortage: string | undefined;

  /** @param detail a sentence for people: the fault of this request, and how to correct it */
  constructor(type: ProblemCode | ProblemType, detail: string, options: ProblemOptions = {}) {
    // Without a stack, which nobody reads and which takes longer than all the rest.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail);
    Error.stackTraceLimit = stackTraceLimit;
    const isCode = typeof type === 'string';
    const { title, status = 500 }: Omit<ProblemType, 'code'> = isCode ? PROBLEMS[type] : type;
    this.code = isCode ? type : type.code;
    this.title = title;
    this.headers = options.headers ?? {};
    this.errors = options.errors;
    this.close = options.close ?? false;
    this.status = options.status ?? status;
    this.shortage = options.shortage;
  }

  /**
   * The members of its content (RFC 9457, section 3.1).
   * @param path the path of the request; empty if unknown
   * @param types the prefix of the URIs of problem types
   */
  members(path: string, types = DEFAULT_TYPES) {
    return {
      type: types + this.code,
      title: this.title,
      status: this.status,
      detail: this.message,
      instance: path === '' ? `urn:uuid:${crypto.randomUUID()}` : uriReference(path),
      code: this.code,
      errors: this.errors,
    };
  }

  /** Creates the response (RFC 9457). The parameters are those of `members`. */
  toResponse(path: string, types = DEFAULT_TYPES): Response {
    const text = JSON.stringify(this.members(path, types));
    const { status, headers, close } = this;
    return { status, headers, mediaType: PROBLEM_MEDIA_TYPE, content: byteString(text), close };
  }
}

/** The problem of a request after which the connection closes, as its bytes cannot be trusted. */
export function closingProblem(code: ProblemCode, detail: string): Problem {
  return new Problem(code, detail, { close: true });
}

/**
 * The problem of a request that exceeds the current capacity (RFC 9110, section 15.6.4).
 * @param shortage the reason by which a metric counts it
 */
export function overloaded(shortage: string, sentence: string): Problem {
  // In seconds. Overloads here are shorter.
  const headers = { 'Retry-After': '1' };
  return new Problem('overloaded', `${sentence}; try again later`, { headers, shortage });
}
