import type { ValuesOf } from '../lib/config/index.ts';
import {
  isPreflight,
  isToken,
  isWithin,
  type Request,
  type Response,
  splitList,
  withHeaders,
} from '../lib/http/index.ts';
import { createDistinctLog, type Log } from '../lib/log.ts';
import type { Feature } from './feature.ts';
import { ADMIN } from './reserved-paths.ts';

/** The header fields that pages may read besides the CORS-safelisted ones. */
const EXPOSED = [
  'ETag',
  'Link',
  'Location',
  'X-Total-Count',
  'X-Request-Id',
  'Retry-After',
  'Allow',
  'Accept-Patch',
  'Accept-Post',
];

/** How long a browser may cache a preflight, in seconds. */
const MAX_AGE = '600';

/** `*` means any page, `null` any sandboxed page. They never get credentials. */
const NO_CREDENTIALS = ['*', 'null'];

/** The response with the fields that let scripts of an origin read it. */
function withCorsFields(request: Request, response: Response, origin: string): Response {
  return withHeaders(response, {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposedNames(response).join(', '),
    ...(!NO_CREDENTIALS.includes(origin) && { 'Access-Control-Allow-Credentials': 'true' }),
    ...(isPreflight(request) && response.status === 204 && preflightFields(request, response)),
  });
}

/** Those of all responses, and those of faults. */
function exposedNames({ extraHeaders = {} }: Response): readonly string[] {
  const isNew = (name: string) =>
    !EXPOSED.some((each) => each.toLowerCase() === name.toLowerCase());
  return [...EXPOSED, ...Object.keys(extraHeaders).filter(isNew)];
}

function preflightFields({ headers }: Request, response: Response) {
  const methods = response.headers?.Allow;
  if (headers.origin === undefined || methods === undefined) return undefined;
  const requested = splitList(headers['access-control-request-headers'] ?? '');
  const names = requested.filter(isToken);
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Max-Age': MAX_AGE,
    ...(names.length > 0 && { 'Access-Control-Allow-Headers': names.join(', ') }),
  };
}

const LOCALHOST = /^https?:\/\/(?:(?:[a-z0-9_-]+\.)*localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** Any origin, or the origins of a list. */
type Origins = '*' | readonly string[];

/** Parses origins, `null`, `localhost` for any port of this machine, `*`; else undefined. */
function parseOrigins(list: string): Origins | null | undefined {
  if (list === 'none') return null;
  const elements = list.split(',').map((element) => element.trim());
  if (!elements.every((element) => WORDS.includes(element) || isOrigin(element))) return undefined;
  return elements.includes('*') ? '*' : [...new Set(elements)].sort();
}

/** Whether a list that has been parsed contains an origin. */
function contains(origins: readonly string[], origin: string): boolean {
  if (origins.includes('localhost') && LOCALHOST.test(origin)) return true;
  return origin !== 'localhost' && origins.includes(origin);
}

/** Elements other than origins. Files and sandboxed pages have the origin `null`. */
const WORDS = ['*', 'localhost', 'null'];

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,*A-Z]+$/;

/** Whether a text is an origin as browsers send it: without the default port. */
function isOrigin(text: string): boolean {
  if (!ORIGIN.test(text) || !URL.canParse(text)) return false;
  const { origin, protocol } = new URL(text);
  return origin === text || !['http:', 'https:', 'ws:', 'wss:', 'ftp:'].includes(protocol);
}

export const CORS_SETTINGS = {
  corsOrigins: {
    description: 'origins whose pages may call the service, comma-separated; * for all, or none',
    default: ['localhost'],
    defaultText: 'localhost',
    allowed:
      'none, *, or origins such as https://app.example:8443 (no / at the end), localhost or null',
    parse: parseOrigins,
  },
};

/** Adds the fields that let pages of allowed origins read responses, also those of faults. */
interface Cors extends Feature {
  /** The `Vary` field of all responses; undefined if they do not depend on the origin. */
  readonly vary: string | undefined;
  /** Whether a request is a preflight of an unknown path, from an allowed origin. */
  readonly grants: (request: Request) => boolean;
}

/**
 * Lets pages of allowed origins read responses (the Fetch standard, section 3.2). An origin that is
 * listed by name may send credentials, because some clients always do. Undefined if it is off.
 */
export function cors(
  { corsOrigins: allowed }: ValuesOf<typeof CORS_SETTINGS>,
  log?: Log,
): Cors | undefined {
  if (allowed === null) return undefined;
  const logRefused = createDistinctLog(log, 'origin refused; CORS_ORIGINS can allow it', 'origin');

  /** The value of `Access-Control-Allow-Origin`; undefined if other origins may not read. */
  const allowedOriginOf = ({ headers, host = '', localPath }: Request): string | undefined => {
    const { origin = '' } = headers;
    if ((origin === '' && allowed !== '*') || isWithin(localPath, ADMIN)) return undefined;
    if (allowed === '*') return '*';
    const ownHost = host.toLowerCase();
    if (origin === `http://${ownHost}`) return undefined;
    if (contains(allowed, origin)) return origin;
    // The service's own page, if a gateway adds TLS, or passes another host on.
    const isOwn = origin === `https://${ownHost}` || headers['sec-fetch-site'] === 'same-origin';
    if (!isOwn) logRefused(origin);
    return undefined;
  };

  return {
    vary: allowed === '*' ? undefined : 'Origin',
    grants: (request) =>
      isPreflight(request) &&
      request.refusal?.code === 'unknown-path' &&
      allowedOriginOf(request) !== undefined,
    transformResponse(response, request) {
      const origin = allowedOriginOf(request);
      return origin === undefined ? response : withCorsFields(request, response, origin);
    },
  };
}
