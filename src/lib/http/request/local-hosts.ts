import { isIP } from 'node:net';
import { Problem } from '../core/problem.ts';
import type { Request } from '../core/request.ts';

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
 * Creates the check of a `Host` field, which throws a Problem `misdirected-request`. Port and
 * letter case do not matter. An empty or absent field is served.
 * @param own the host that the server listens on
 */
export function hostCheck({ names, remedy }: LocalHosts, own?: string) {
  const allowed = new Set([
    '',
    'localhost',
    ...names,
    ...(own === undefined ? [] : [own.toLowerCase()]),
  ]);
  // Most requests have the same host as the one before.
  let lastAllowed: string | undefined;
  return (host: string | undefined): void => {
    if (host === lastAllowed || host === undefined || allowed.has(host)) return;
    const lowerCase = host.toLowerCase();
    const name = lowerCase
      .replace(/:\d*$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '');
    if (allowed.has(name) || name.endsWith('.localhost') || isIP(name) > 0) {
      lastAllowed = host;
      return;
    }
    const detail = `The service listens for this machine alone, not for Host ${host}`;
    throw new Problem('misdirected-request', `${detail}; ${remedy(lowerCase)}`);
  };
}
