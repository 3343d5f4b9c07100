import type { ServerOptions } from 'node:http';
import { MAX_HEADER_BYTES } from '../request/framing.ts';
import { MAX_TARGET_BYTES } from '../request/target.ts';

/** What bounds a client's use of the server. Times are in milliseconds. */
export const DEFAULT_SETTINGS = {
  /** A whole request must have arrived by then: byte by byte, none holds a connection for long. */
  requestTimeout: 10_000,
  /** The header section is small, so it has less time; a silent connection lives as long. */
  headersTimeout: 5_000,
  /** How long a client may take nothing of a response, as far as the kernel tells. */
  sendTimeout: 30_000,
  /** A client that takes so many bytes a second, without a pause, is never cut. */
  slowestReader: 20_000,
  /** How exactly these are kept. With Node's 30 s a silent connection would live for 35 s. */
  connectionsCheckingInterval: 1_000,
  /** Longer than the 60 s of load balancers, so that no server closes under a new request. */
  keepAliveTimeout: 65_000,
  /**
   * How long, and for how many bytes, a client that still sends is read after its last response.
   */
  lingerTimeout: 1_000,
  lingerBytes: 1024 * 1024,
  /**
   * How long a client may take to end its side after its last response, when the server stops. What
   * it has not read by then may be lost: where this process is a container's first, the container's
   * network ends with it.
   */
  stopLingerTimeout: 500,
  /** Each connection is a file descriptor, and most systems allow a process more than these. */
  maxConnections: 10_000,
  /** What clients may make the server hold, in bytes: see `HeldMemory`. */
  maxHeldBytes: 64 * 1024 * 1024,
  /** Responses that are being made; a client that waits for one of them is told to come back. */
  maxWork: 1_000,
  /** How long a request may wait before its response is begun. */
  maxWorkWait: 5_000,
};

/** The settings of a server, all of them numbers. */
export type HttpSettings = Readonly<typeof DEFAULT_SETTINGS>;

/** What `node:http` is told when the server is made. */
export function serverOptions(settings: HttpSettings): ServerOptions {
  const fast = {
    /** Requests without content skip the life of a stream (Node 24 and later; others ignore it). */
    optimizeEmptyRequests: true,
  };
  return {
    ...fast,
    requestTimeout: settings.requestTimeout,
    headersTimeout: settings.headersTimeout,
    connectionsCheckingInterval: settings.connectionsCheckingInterval,
    keepAliveTimeout: settings.keepAliveTimeout,
    /**
     * A target and header fields of the longest allowed length: `node:http` counts both together.
     */
    maxHeaderSize: MAX_TARGET_BYTES + MAX_HEADER_BYTES,
    /** A missing Host is a problem like every other error (see `framing.ts`), with content. */
    requireHostHeader: false,
    /** Finds peers that vanished without a word. */
    keepAlive: true,
    /** Small responses leave at once instead of waiting for an acknowledgement. */
    noDelay: true,
  };
}

/** What `node:http` takes as properties of the server only. */
export function serverProperties(settings: HttpSettings) {
  return {
    /** No limit: past one, `node:http` drops fields silently; `framing.ts` refuses them instead. */
    maxHeadersCount: 0,
    maxConnections: settings.maxConnections,
    /** A client may close its side after its request and still gets the response. */
    httpAllowHalfOpen: true,
  };
}
