import { clock } from '../../lib/clock.ts';
import type { Request } from '../../lib/http/index.ts';
import type { LogFields } from '../../lib/log.ts';
import type { Masks } from '../../lib/masks.ts';
import type { Feature } from '../feature.ts';

/** The maximum length of `userAgent`, in characters. */
const MAX_USER_AGENT = 200;

/**
 * Writes a line for each request at its end. Values that do not apply are left out.
 * @param listNameOf returns the name of the list of a request, if it has one
 * @param masks hide secrets in the target
 */
export function accessLog(
  write: (line: LogFields) => void,
  listNameOf: (request: Request) => string | undefined,
  masks: Masks,
): Feature {
  return {
    observe(request) {
      const { id: requestId } = request;
      const list = listNameOf(request);
      let status: number | undefined;
      request.onResponse((response) => {
        status = response.abort ? undefined : response.status;
      });
      request.onEnd((contentBytes) => {
        const { method, template: route, clientAddress, traceId } = request;
        const target = masks.target(request.target);
        const durationMs = Math.round((clock.now() - request.receivedAt) * 1000) / 1000;
        const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT);
        const client = { clientAddress, userAgent };
        const outcome = { status, durationMs, contentBytes };
        write({ method, target, list, route, ...outcome, ...client, requestId, traceId });
      });
    },
  };
}
