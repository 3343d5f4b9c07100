import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { closingProblem, Problem } from '../core/problem.ts';
import type { Request } from '../core/request.ts';

/** uri-host [":" port] (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const NAMED_HOST = /^(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*(?::\d*)?$/;
const LITERAL_HOST = /^\[([0-9A-Fa-f:.]+)\](?::\d*)?$/;

/**
 * The host names that requests to loopback addresses may have, besides `localhost`, names below it,
 * and IP addresses. The check stops DNS rebinding, where a page of another site makes its own
 * name resolve to this machine.
 */
export interface LocalHosts {
  /** Names in lower case. */
  readonly names: readonly string[];
  /** Returns advice on how to make the service accept a host. */
  readonly remedy: (host: string) => string;
}

/** Whether a request is refused because of its `Host`, before anything else is checked. */
export function isMisdirected({ refusal }: Pick<Request, 'refusal'>): boolean {
  return refusal?.code === 'misdirected-request';
}

/**
 * Creates the check of the `Host` of a request (RFC 9112, section 3.2). An empty field is allowed.
 * @param local the allowed names; absent to allow every name
 * @param own the host that the server listens on, which is allowed as well
 */
export function createHostCheck(local?: LocalHosts, own = '') {
  const allowed = new Set(['', 'localhost', own.toLowerCase(), ...(local?.names ?? [])]);
  // Most requests have the same host as the one before.
  let lastAllowed: string | undefined;
  return ({ headers: { host }, httpVersion }: IncomingMessage): void => {
    if (host === undefined) {
      if (httpVersion === '1.0') return;
      throw closingProblem('malformed-request', 'An HTTP/1.1 request must have a Host field');
    }
    if (host === lastAllowed) return;
    if (!NAMED_HOST.test(host) && !isIPv6(LITERAL_HOST.exec(host)?.[1] ?? '')) {
      const detail = 'The Host field must be a host and an optional port';
      throw closingProblem('malformed-request', detail);
    }
    const lowerCase = host.toLowerCase();
    const name = lowerCase
      .replace(/:\d*$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '');
    const isLocal = allowed.has(name) || name.endsWith('.localhost') || isIP(name) > 0;
    if (local !== undefined && !isLocal) {
      const detail = `The service listens for this machine alone, not for Host ${host}`;
      throw new Problem('misdirected-request', `${detail}; ${local.remedy(lowerCase)}`);
    }
    lastAllowed = host;
  };
}
