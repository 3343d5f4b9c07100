import { valueResponse } from '../http/core/response.ts';
import type { Faults } from '../http/middleware/faults.ts';
import { type DescribedRoute, describedRoute } from '../http/routing/operation.ts';
import { FAULTS, faultsContent } from './fault-content.ts';

/** Below this path, everything needs the token. */
export const ADMIN_PREFIX = '/admin/';

const TAG = 'Admin';

const IN_FORCE = {
  description: 'The faults that are in force.',
  mediaType: 'application/json',
  schema: FAULTS,
} as const;

/** What test suites do to a service (contract: "For test suites"). */
export function adminRoutes(
  reset: () => void | Promise<void>,
  faults: Faults,
): readonly DescribedRoute[] {
  const tellFaults = () => valueResponse(200, { faults: faults.list });
  return [
    describedRoute({
      method: 'POST',
      path: '/admin/reset',
      operation: {
        id: 'reset',
        summary: 'Put everything back to the seed',
        tag: TAG,
        responses: { 204: { description: 'All items are those of the seed; ids start anew.' } },
        problems: ['unauthorized'],
      },
      handle: async () => {
        await reset();
        return { status: 204 };
      },
    }),
    describedRoute({
      method: 'GET',
      path: '/admin/faults',
      operation: {
        id: 'getFaults',
        summary: 'Get the faults in force',
        tag: TAG,
        responses: { 200: IN_FORCE },
        problems: ['unauthorized'],
      },
      handle: tellFaults,
    }),
    describedRoute({
      method: 'PUT',
      path: '/admin/faults',
      operation: {
        id: 'setFaults',
        summary: 'Set the faults in force',
        description: 'The first fault that fits a request decides what happens to it.',
        tag: TAG,
        content: faultsContent,
        responses: { 200: IN_FORCE },
        problems: ['unauthorized'],
      },
      handle: (request) => {
        faults.set(faultsContent.of(request));
        return tellFaults();
      },
    }),
    describedRoute({
      method: 'DELETE',
      path: '/admin/faults',
      operation: {
        id: 'clearFaults',
        summary: 'Put an end to all faults',
        tag: TAG,
        responses: { 200: IN_FORCE },
        problems: ['unauthorized'],
      },
      handle: () => {
        faults.set([]);
        return tellFaults();
      },
    }),
  ];
}
