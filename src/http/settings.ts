import type { ServerOptions } from 'node:http';
import { MAX_HEADER_BYTES } from './framing.ts';
import { MAX_TARGET_BYTES } from './target.ts';

/** How long and how many: what bounds a client's use of the server. Times are in milliseconds. */
export const DEFAULT_SETTINGS = {
  /** A whole request must have arrived by then: one that is sent byte by byte must not hold a connection for long. */
  requestTimeout: 10_000,
  /** The header is small, so it has less time; this is also how long a silent connection lives. */
  headersTimeout: 5_000,
  /** How long a client may take nothing of what it asked for, be it a slice of a long answer or a short one. */
  sendTimeout: 30_000,
  /** How exactly the three above are kept. Node's default of 30 s would let a silent connection live for 35 s. */
  connectionsCheckingInterval: 1_000,
  /** Longer than the 60 s of the usual load balancer, so that it is never the server that closes under a new request. */
  keepAliveTimeout: 65_000,
  /** How long, and for how many bytes, a client that still sends is read after its last answer. */
  lingerTimeout: 1_000,
  lingerBytes: 1024 * 1024,
  /**
   * How long a client may take to end its side after its last answer, when the server stops. What it has not read by
   * then may be lost: where this process is a container's first, the container's network ends with it.
   */
  stopLingerTimeout: 500,
  /** Each connection costs a file descriptor and some kilobytes; most systems allow a process more than this many. */
  maxConnections: 10_000,
  /** Long answers that are under way at once. Each holds a slice, or a few, so all of them together some 16 MiB. */
  longAtOnce: 64,
  /** Those that wait for one of them to end; what comes on top is told to come back later. */
  longWaiting: 128,
};

/** The settings of a server, all of them numbers. */
export type HttpSettings = Readonly<typeof DEFAULT_SETTINGS>;

/** What `node:http` is told when the server is made. */
export function serverOptions(settings: HttpSettings): ServerOptions {
  const fast = {
    /** Requests without a body skip the life of a stream (Node 24 and later; older ones ignore it). */
    optimizeEmptyRequests: true,
  };
  return {
    ...fast,
    requestTimeout: settings.requestTimeout,
    headersTimeout: settings.headersTimeout,
    connectionsCheckingInterval: settings.connectionsCheckingInterval,
    keepAliveTimeout: settings.keepAliveTimeout,
    /** Room for a target and header fields of the longest allowed length each; `node:http` counts both together. */
    maxHeaderSize: MAX_TARGET_BYTES + MAX_HEADER_BYTES,
    /** A missing Host is answered as a problem, like every error (see `framing.ts`); `node:http` would send an empty body. */
    requireHostHeader: false,
    /** Finds peers that vanished without a word. */
    keepAlive: true,
    /** Small answers leave at once instead of waiting for an acknowledgement. */
    noDelay: true,
  };
}

/** What `node:http` takes as properties of the server only. */
export function serverProperties(settings: HttpSettings) {
  return {
    /** No limit of fields, because past one `node:http` drops fields silently; `framing.ts` refuses them instead. */
    maxHeadersCount: 0,
    maxConnections: settings.maxConnections,
    /** A client may close its side after its request and still gets the answer. */
    httpAllowHalfOpen: true,
  };
}
