import { type AddressInfo, isIP } from 'node:net';
import { integer, onOff, type Settings } from '../../lib/config/index.ts';
import { quoted } from '../../lib/printable.ts';
import { parseHosts } from './hosts.ts';

/** The characters of a host name, with DNS's limit of the length (RFC 1035, section 2.3.4). */
const HOST_NAME = /^[0-9A-Za-z][0-9A-Za-z.-]{0,252}$/;

/** The URL for clients on this machine. A wildcard address is replaced by `localhost`. */
export function urlOf(
  { host, basePath }: { readonly host: string; readonly basePath: string },
  { address, port }: AddressInfo,
): string {
  const isAny = ['0.0.0.0', '::'].includes(address);
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return `http://${isAny ? 'localhost' : name}:${port}${basePath}`;
}

/** The rule that a host violates, if it is why the system cannot listen; otherwise undefined. */
export function hostRefusal(
  host: string,
  { code, message }: NodeJS.ErrnoException,
): string | undefined {
  // These are about the port.
  if (code === undefined || code === 'EADDRINUSE' || code === 'EACCES') return undefined;
  return `must be * or an address of this machine, not ${quoted(host)}: ${message}`;
}

/** A path, not empty, of segments of unreserved characters (RFC 3986, 2.3) without dot segments. */
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$(?<=.)/;

/** The settings of the process: where it listens, its connections, and how it stops. */
export const PROCESS_SETTINGS = {
  port: {
    description: 'port to listen on; 0 picks a free one',
    ...integer(0, 65_535, 8080),
    argument: { pattern: /^(?:-p[0-9]*|[0-9]+)$/, example: '9000' },
  },
  host: {
    description: 'address to listen on; localhost means this machine alone, * all interfaces',
    default: 'localhost',
    defaultText: 'localhost',
    allowed: 'a host name, an IP address or *',
    parse: (text: string) =>
      text === '*' || isIP(text) > 0 || HOST_NAME.test(text) ? text : undefined,
    imageVariable: 'IMAGE_HOST',
  },
  allowedHosts: {
    description:
      'more names of this machine, if it listens on loopback; .example for all below, or *',
    default: [],
    defaultText: 'none',
    allowed: 'names such as abc.example or .example, without ports, separated by commas; or *',
    parse: parseHosts,
  },
  basePath: {
    description: 'path prefix of all routes, such as /todo (which redirects to /todo/)',
    default: '',
    defaultText: 'none',
    allowed: 'a path such as /todo, of segments of letters, digits and any of -._~',
    parse: (text: string) => (BASE_PATH.test(text) ? text.replace(/\/$/, '') : undefined),
  },
  maxHeaderBytes: {
    description: 'maximum size of request line and header fields, in bytes, beyond 8 KiB',
    ...integer(8 * 1024, 64 * 1024, 16 * 1024),
  },
  keepAliveTimeoutMs: {
    description: 'milliseconds that a connection may be idle between two requests',
    ...integer(2_000, 3_600_000, 65_000),
  },
  exitWithStdin: {
    description: 'stop when standard input, a pipe or a socket, ends',
    ...onOff(false),
  },
  drainDelayMs: {
    description: 'milliseconds to keep serving after a stop signal, while /readyz is 503',
    ...integer(0, 3_600_000, 0),
  },
  drainTimeoutMs: {
    description: 'milliseconds for requests in flight to finish after a stop signal',
    ...integer(0, 3_600_000, 8_000),
  },
} as const satisfies Settings;
