import type { IncomingHttpHeaders } from 'node:http';
import type { Problem } from './problem.ts';
import type { Query } from './query.ts';
import type { Response } from './response.ts';
import type { Work } from './work.ts';

/** What a request was matched with. */
export interface MatchedRoute {
  readonly handle: (request: Request) => Response | Promise<Response>;
}

/**
 * A request as handlers and middleware see it: complete, since it is handed over when its content
 * has been read, or refused.
 */
export interface Request {
  readonly method: string;
  /** The request target exactly as it was sent (RFC 9112, section 3.2). */
  readonly target: string;
  /** The path of the target, neither decoded nor normalised. */
  readonly path: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
  /** The path as a template, such as `/api/todos/{id}`; undefined where the path is unknown. */
  readonly template: string | undefined;
  /** The route that the method and the path lead to; undefined where they lead to none. */
  readonly route: MatchedRoute | undefined;
  /** What stood in place of the path's parameters, in order, exactly as it was sent. */
  readonly params: readonly string[];
  /** The content, read whole; empty where there is none. */
  readonly content: Buffer;
  /** What was wrong with the request before any handler saw it. */
  readonly refusal: Problem | undefined;
  /** The id that log lines have in common; given by the client, or made when it is first needed. */
  readonly id: string;
  /** The id, where the client gave one or one was made. */
  readonly knownId: string | undefined;
  /** The trace that the request belongs to (W3C Trace Context), if the client says so. */
  readonly traceId: string | undefined;
  /** The address that the request came from. */
  readonly clientAddress: string | undefined;
  /** When its header section had arrived, as `performance.now()` has it. */
  readonly receivedAt: number;
  /** Whether the client has gone, so that nobody waits for the response. */
  readonly isGone: boolean;
  /**
   * Does work: as far as there is time at once, the rest in turn with the work of other requests.
   * @returns its result, or a promise of it, which is rejected where the client goes away meanwhile
   * @throws Problem `overloaded`
   */
  run<T>(work: Work<T>): T | Promise<T>;
  /**
   * Calls back when the response has been sent, or cannot be.
   * @param callback gets the bytes of content that were sent
   */
  onEnd(callback: (contentBytes: number) => void): void;
}
