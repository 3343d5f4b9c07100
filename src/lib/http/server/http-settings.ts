import { MAX_TARGET_BYTES } from '../messages/target.ts';

/** The settings of a server, unless others are given. Times are in milliseconds. */
export const DEFAULT_SETTINGS = {
  /** The time for a whole request to arrive. Stops clients that send byte by byte. */
  requestTimeout: 10_000,
  /** The time for a header section, and for a new connection to send its first one. */
  headersTimeout: 5_000,
  /**
   * The time for which a client may read nothing of a response, as the kernel reports it. Linux
   * reports progress only when a third of its buffer is free, which takes 70 s at 20 kB/s.
   */
  sendTimeout: 100_000,
  /**
   * The maximum bytes of the header section, besides 8 KiB for the target. Large enough for the
   * cookies of all services at localhost, which a browser sends to each of them.
   */
  maxHeaderBytes: 16 * 1024,
  /** The interval of checks of these times, and of memory. Node's is 30 s. */
  connectionsCheckingInterval: 1_000,
  /** Longer than the 60 s of load balancers, so that the server never closes under a request. */
  keepAliveTimeout: 65_000,
  /** How long the server waits for its client to close the connection after the last response. */
  lingerTimeout: 1_000,
  /** The most bytes that it drops meanwhile. Varnish reads no response until it has sent all content. */
  lingerBytes: 8 * 1024 * 1024,
  /** How long a client may send nothing of its content while the server stops. */
  stopSilenceTimeout: 1_000,
  /** How long a stopping server accepts connections, because proxies do not repeat a POST. */
  stopArrivalTimeout: 250,
  /** How long a client may read or send nothing, or be silent, while others need what it holds. */
  stallTimeout: 1_000,
  /** The interval of checks of these times while others need it. */
  shortageCheckInterval: 250,
  /** Each connection is a file descriptor. Node takes as many as the hard limit of the system allows. */
  maxConnections: 10_000,
  /** The permits and the places of all requests together (README: "Admission"). */
  permits: 64,
  places: 4_096,
};

/** The settings of a server, all of them numbers. */
export type HttpSettings = Readonly<typeof DEFAULT_SETTINGS>;

/** The longest header section that the parser takes, with its target, in bytes. */
export function maxHeadBytes({ maxHeaderBytes }: HttpSettings): number {
  return MAX_TARGET_BYTES + maxHeaderBytes;
}
