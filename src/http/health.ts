import { byteString } from './byte-string.ts';
import { Problem } from './problem.ts';
import type { Route } from './route.ts';

/**
 * The probes of an orchestrator: `/livez` answers as long as the process does, `/readyz` until no new work is wanted.
 */
export function healthRoutes(isDraining: () => boolean): readonly Route[] {
  const ok = { status: 200, body: byteString('{"status":"ok"}') };
  return [
    { method: 'GET', path: '/livez', handle: () => ok },
    {
      method: 'GET',
      path: '/readyz',
      handle: () => {
        if (isDraining())
          throw new Problem('draining', 'The service is shutting down and takes no new work');
        return ok;
      },
    },
  ];
}
