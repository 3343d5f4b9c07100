import { MAX_TARGET_BYTES } from '../core/target.ts';

/** The limits of a client's use of the server. Times are in milliseconds. */
export const DEFAULT_SETTINGS = {
  /** How long a whole request may take to arrive, or a client could send byte by byte for ever. */
  requestTimeout: 10_000,
  /** The header section is small, so it gets less time; a silent connection lives as long. */
  headersTimeout: 5_000,
  /** How long a client may read nothing of a response, as far as the kernel reports. */
  sendTimeout: 30_000,
  /** A client that steadily reads this many bytes per second is never disconnected. */
  slowestReader: 20_000,
  /** All header fields of a request, in bytes. Cookies of all servers on localhost come along. */
  maxHeaderBytes: 16 * 1024,
  /** How precisely these times are kept, and partial header sections are counted; Node has 30 s. */
  connectionsCheckingInterval: 1_000,
  /** Longer than the 60 s of load balancers, so that the server never closes under a request. */
  keepAliveTimeout: 65_000,
  /** How long to work for a client that has ended its side, and may have gone. */
  endedTimeout: 10_000,
  /** How long, and for how many bytes, the server keeps reading after the last response. */
  lingerTimeout: 1_000,
  lingerBytes: 1024 * 1024,
  /** The same when the server stops. A container's network, with unread responses, ends then. */
  stopLingerTimeout: 500,
  /** How long a stopping server still accepts connections: proxies do not repeat a POST. */
  stopArrivalTimeout: 250,
  /** Each connection is a file descriptor; most systems allow a process more than this. */
  maxConnections: 10_000,
  /** The memory that clients may make the server hold, in bytes: see `ClientMemory`. */
  maxClientBytes: 64 * 1024 * 1024,
  /** The maximum number of long responses in progress; further clients get 503. */
  maxTasks: 1_000,
};

/** The settings of a server, all of them numbers. */
export type HttpSettings = Readonly<typeof DEFAULT_SETTINGS>;

/** The longest header section that the parser takes, with its target, in bytes. */
export function maxHeadBytes({ maxHeaderBytes }: HttpSettings): number {
  return MAX_TARGET_BYTES + maxHeaderBytes;
}
