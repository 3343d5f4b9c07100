import { JSON_MEDIA_TYPE, NO_STORE, Problem, valueResponse } from '../lib/http/index.ts';
import { objectSchema } from '../lib/json/index.ts';
import type { Feature } from './feature.ts';
import { describedRoute, NO_STORE_FIELD, OPERATIONS } from './operation.ts';
import { LIVEZ, READYZ } from './reserved-paths.ts';

const OK = valueResponse(200, { status: 'ok' }, NO_STORE);

const OK_RESPONSE = {
  description: 'The check has passed.',
  content: { [JSON_MEDIA_TYPE]: objectSchema({ status: { type: 'string', const: 'ok' } }) },
  headers: NO_STORE_FIELD,
};

/** The probes of an orchestrator: whether the process responds, and whether to send it requests. */
export function probes(isDraining: () => boolean): Feature {
  const routes = [
    describedRoute('GET', LIVEZ, {
      id: 'getLiveness',
      summary: 'Check liveness',
      description: 'For orchestrators: restart the process if it does not respond.',
      tag: OPERATIONS,
      isAtBaseOnly: true,
      ignoresAccept: true,
      responses: { 200: OK_RESPONSE },
      handle: () => OK,
    }),
    describedRoute('GET', READYZ, {
      id: 'getReadiness',
      summary: 'Check readiness',
      description: 'For load balancers: 503 from the stop signal on.',
      tag: OPERATIONS,
      isAtBaseOnly: true,
      ignoresAccept: true,
      responses: { 200: OK_RESPONSE },
      handle: () => {
        if (isDraining()) {
          const detail = 'The service is shutting down; use another instance';
          // In seconds.
          throw new Problem('draining', detail, { headers: { 'Retry-After': '10' } });
        }
        return OK;
      },
    }),
  ];
  return { routes };
}
