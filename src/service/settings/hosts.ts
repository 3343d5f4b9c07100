import { isIP } from 'node:net';
import type { LocalHosts } from '../../lib/http/index.ts';
import { createDistinctLog, type Log } from '../../lib/log.ts';

/** A name, or a dot and a name, which stands for it and all names below it. */
const NAME = /^[.]?[a-z0-9_](?:[a-z0-9_-]|[.](?![.]))*(?<![.-])$/i;

/** Parses host names, addresses, or `*` alone; undefined if the text has another form. */
export function parseHosts(text: string): '*' | readonly string[] | undefined {
  if (text === '*') return '*';
  const hosts = text.split(',').map((host) => host.trim().replace(/^\[(.*)\]$/, '$1'));
  if (!hosts.every((host) => NAME.test(host) || isIP(host) > 0)) return undefined;
  return hosts.map((host) => host.toLowerCase());
}

/**
 * The hosts that requests to loopback addresses may have besides those of this machine
 * (operations.md: "Where it listens"). Logs the others. Undefined if any host may be used.
 */
export function localHosts(allowed: '*' | readonly string[], log?: Log): LocalHosts | undefined {
  if (allowed === '*') return undefined;
  const logRefused = createDistinctLog(log, 'host refused; ALLOWED_HOSTS can allow it', 'host');
  return {
    isAllowed: (name) =>
      allowed.some((host) => name === host || (host.startsWith('.') && `.${name}`.endsWith(host))),
    refuse(name) {
      logRefused(name);
      return NAME.test(name)
        ? `to serve it, add ${name} to ALLOWED_HOSTS`
        : 'ALLOWED_HOSTS has the names that are served';
    },
  };
}
