import type { IncomingHttpHeaders } from 'node:http';
import type { Awaitable, Steps } from '../../steps.ts';
import type { Problem } from './problem.ts';
import type { ContentParts, Response } from './response.ts';
import type { Query } from './target.ts';

/** How a request waits. */
export interface WaitOptions {
  /** The memory of what it keeps meanwhile besides itself, such as its response, in bytes. */
  readonly bytes?: number;
  /** Whether it is a write that has taken effect. Then it is no longer refused or cancelled. */
  readonly isWrite?: boolean;
  /** Whether it keeps its permits and its long result, of which some is sent meanwhile. */
  readonly keepsResult?: boolean;
}

/** A request for handlers: complete with its content, or refused. */
export interface Request {
  readonly method: string;
  /** The request target exactly as it was sent (RFC 9112, section 3.2). */
  readonly target: string;
  /** The path of the target, neither decoded nor normalised. */
  readonly path: string;
  /** The `Site` that serves it. */
  readonly site: BasePath;
  /** The path relative to the base path of the site, to compare with the paths of routes. */
  readonly localPath: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  /** The host and port that it is for: the authority of the target, or else the field `Host`. */
  readonly host: string | undefined;
  /** Alternating names and values of the header fields, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** The path as a template, such as `/notes/{id}`; undefined if the path is unknown. */
  readonly template: string | undefined;
  /** The route of the method and path; undefined if there is none. */
  readonly route: Route | undefined;
  /** The path's parameter, exactly as sent; empty if it has none. */
  readonly parameter: string;
  /** The whole content; empty if there is none. */
  readonly content: Buffer;
  /** Set to carry out a GET or HEAD as if it had no `If-None-Match`. */
  ignoresIfNoneMatch: boolean;
  /** Why the request was refused before any handler saw it. */
  readonly refusal: Problem | undefined;
  /** The id for log lines: the client's, or one made when first needed. */
  readonly id: string;
  /** The id, if it exists already; undefined otherwise. */
  readonly knownId: string | undefined;
  /** The trace id of the request (W3C Trace Context), if it has one. */
  readonly traceId: string | undefined;
  readonly clientAddress: string | undefined;
  /** Whether the client has disconnected, as far as is known. */
  readonly isDisconnected: boolean;
  /** Whether the client has ended its side of the connection. It may have gone, or still read. */
  readonly isHalfClosed: boolean;
  /** When its header section had arrived, by `clock.now()`. */
  readonly receivedAt: number;
  /**
   * Runs work that may be long: its steps run while this turn of the event loop has time for them,
   * and the rest in later turns, alternating with other work. Closes steps that fail or are
   * abandoned. The promise is rejected if the client disconnects, or with Problem `overloaded`.
   */
  run<R>(steps: Steps<unknown, R>): Promise<R>;
  /**
   * Runs work with a long result until its first part is made. It may wait for permits before it is
   * made. The promise is rejected as that of {@link run}.
   * @param workingBytes the memory that it takes besides its result, such as a sort of many rows; 0
   * if that is little
   */
  runLong<W extends ContentParts>(make: () => W, workingBytes: number): Promise<W>;
  /**
   * Keeps the request open until `end` is fulfilled, which must never be rejected. Meanwhile, the
   * request has places instead of permits, and a long result is made again afterwards. The returned
   * promise is rejected if the client disconnects, or with Problem `overloaded`.
   */
  wait(end: Promise<void>, options?: WaitOptions): Promise<void>;
  /** Calls back with the response before it is sent, also with that of an error. */
  onResponse(observe: (response: Response) => void): void;
  /** Calls back when the response has been sent or has failed, with the bytes of content sent. */
  onEnd(callback: (sentBytes: number) => void): void;
}

/** The part of a site that requests rely on. */
export interface BasePath {
  /** The prefix of all routes: empty, or a path without a final slash. */
  readonly basePath: string;
}

/** Responds to a request. @throws Problem to respond with an error; anything else becomes a 500 */
export type Handler = (request: Request) => Awaitable<Response>;

/**
 * Returns the function that responds to a request in place of its handler, which it may call; undefined
 * to leave the request to the handler. The response of `handle` may be that of an error.
 */
export type Interceptor = (
  request: Request,
) => ((handle: () => Promise<Response>) => Promise<Response>) | undefined;

/** The content that a route takes. */
export interface AcceptedContent {
  /** `application/*+json` stands for all types with that suffix. */
  readonly mediaTypes: readonly string[];
  /** Whether a request may have no content. */
  readonly isOptional?: boolean;
  /** The maximum in bytes; by default, the limit of all routes. */
  readonly maxBytes?: number;
}

/** A handler, and the requests it serves. */
export interface Route {
  readonly method: string;
  /** Its last segment may be a parameter, such as `{id}`, which matches any segment. */
  readonly path: string;
  /** A check after all others but that of the content type. @throws Problem */
  readonly checkBeforeContent?: ((request: Request) => void) | undefined;
  /** Absent: content is ignored. */
  readonly content?: AcceptedContent | undefined;
  /** Whether the long contents of all such routes are received one by one, instead of with permits. */
  readonly isOneByOne?: boolean | undefined;
  /** `Accept` must allow one of these media types. If empty, `Accept` is not checked. */
  readonly produces: readonly string[];
  readonly handle: Handler;
}

/** The properties of a request by which its site is chosen. */
export type RequestHead = Pick<Request, 'method' | 'path' | 'headers'>;
