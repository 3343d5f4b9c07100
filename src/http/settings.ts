import type { ServerOptions } from 'node:http';
import { MAX_HEADER_BYTES } from './framing.ts';
import { MAX_TARGET_BYTES } from './target.ts';

/** What `node:http` is told when the server is made. Times are in milliseconds. */
export const HTTP_OPTIONS: ServerOptions = {
  /** A whole request must have arrived by then: one that is sent byte by byte must not hold a connection for long. */
  requestTimeout: 10_000,
  /** The header is small, so it has less time; this is also how long a silent connection lives. */
  headersTimeout: 5_000,
  /** How exactly the two above are kept. The default of 30 s would let a connection live for 35 s. */
  connectionsCheckingInterval: 1_000,
  /** Longer than the 60 s of the usual load balancer, so that it is never the server that closes under a new request. */
  keepAliveTimeout: 65_000,
  /** Room for a target and header fields of the longest allowed length each; `node:http` counts both together. */
  maxHeaderSize: MAX_TARGET_BYTES + MAX_HEADER_BYTES,
  /** A missing Host is answered as a problem, like every error (see `framing.ts`); `node:http` would send an empty body. */
  requireHostHeader: false,
  /** Finds peers that vanished without a word. */
  keepAlive: true,
  /** Small answers leave at once instead of waiting for an acknowledgement. */
  noDelay: true,
};

/** What `node:http` takes as properties of the server only. */
export const SERVER_SETTINGS = {
  /** No limit of fields, because past one `node:http` drops fields silently; `framing.ts` refuses them instead. */
  maxHeadersCount: 0,
  /** A client that has not read any of its answer, in milliseconds. */
  timeout: 30_000,
  /** Each connection costs a file descriptor and some kilobytes; most systems allow a process more than this many. */
  maxConnections: 10_000,
  /** A client may close its side after its request and still gets the answer. */
  httpAllowHalfOpen: true,
};
