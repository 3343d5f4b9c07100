import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { closingProblem, Problem } from '../messages/problem.ts';
import { authorityOf } from '../messages/target.ts';

/** uri-host [":" port] (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const NAMED_HOST = /^(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*(?::\d*)?$/;
const LITERAL_HOST = /^\[([0-9A-Fa-f:.]+)\](?::\d*)?$/;

/**
 * The host names that requests to loopback addresses may have, besides `localhost`, names below it,
 * and IP addresses. The check stops DNS rebinding, where a page of another site makes its own
 * name resolve to this machine.
 */
export interface LocalHosts {
  /** @param name in lower case, without a port */
  readonly isAllowed: (name: string) => boolean;
  /** Called with each host that is refused. Returns advice on how to make the service accept it. */
  readonly refuse: (name: string) => string;
}

/**
 * Creates the check of the host of a request (RFC 9112, sections 3.2 and 3.2.2). An empty field is
 * allowed. The check throws a Problem if the host is missing or invalid. It returns the problem of
 * a host that is not allowed, because the checks of framing come first.
 * @param local the allowed names; absent to allow every name
 * @param serverHost the host that the server listens on, which is allowed as well
 */
export function createHostCheck(local?: LocalHosts, serverHost = '') {
  const localNames = ['', 'localhost', serverHost.toLowerCase()];
  // Most requests have the same field as the previous one.
  let lastAllowed: string | undefined;
  return ({ headers, httpVersion, url = '' }: IncomingMessage): Problem | undefined => {
    const { host: field } = headers;
    if (field === undefined && httpVersion === '1.1') {
      throw closingProblem('malformed-request', 'An HTTP/1.1 request must have a Host field');
    }
    const authority = authorityOf(url);
    if (authority === undefined && field === lastAllowed) return undefined;
    if (field !== undefined) checkSyntax('Host field', field);
    if (authority !== undefined) checkSyntax('authority of the target', authority);
    const host = authority ?? field ?? '';
    const name = host
      .toLowerCase()
      .replace(/:\d*$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '');
    const isLocal = localNames.includes(name) || name.endsWith('.localhost') || isIP(name) > 0;
    if (local !== undefined && !isLocal && !local.isAllowed(name)) {
      const detail = `The service listens for this machine alone, not for the host ${host}`;
      return new Problem('misdirected-request', `${detail}; ${local.refuse(name)}`);
    }
    if (authority === undefined) lastAllowed = field;
    return undefined;
  };
}

function checkSyntax(where: 'Host field' | 'authority of the target', host: string): void {
  // Only the field may lack a host (RFC 9110, section 4.2.1).
  const isMissing = where !== 'Host field' && /^(?::|$)/.test(host);
  const isNamed = NAMED_HOST.test(host) && !isMissing;
  if (isNamed || isIPv6(LITERAL_HOST.exec(host)?.[1] ?? '')) return;
  throw closingProblem('malformed-request', `The ${where} must be a host and an optional port`);
}
