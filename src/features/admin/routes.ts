import { valueResponse } from '../../http/core/response.ts';
import { type DescribedRoute, describedRoute, type Tag } from '../../http/routing/operation.ts';
import { NO_STORE_FIELD } from '../../http/routing/response-fields.ts';
import type { Service } from '../feature.ts';
import { FAULTS, faultsContent } from './fault-content.ts';
import type { Faults } from './faults.ts';

/** Everything below this path needs the token. */
export const ADMIN_PREFIX = '/admin/';

const TAG: Tag = { name: 'Admin', description: 'For test suites: need the admin token.' };

const IN_FORCE = {
  description: 'The faults in force.',
  mediaType: 'application/json',
  schema: FAULTS,
  example: { faults: [{ path: '/api/todos', status: 503, rate: 0.1 }] },
  headers: NO_STORE_FIELD,
} as const;

/** Reset and faults, for test suites (contract: "For test suites"). */
export function adminRoutes(
  { reset, resetProblems }: Pick<Service, 'reset' | 'resetProblems'>,
  faults: Faults,
): readonly DescribedRoute[] {
  const tellFaults = () => valueResponse(200, { faults: faults.list });
  return [
    describedRoute({
      method: 'POST',
      path: '/admin/reset',
      operation: {
        id: 'reset',
        summary: 'Reset to the seed',
        description: 'In one commit. All list tags change, event streams get `reset`, faults stay.',
        tag: TAG,
        responses: {
          204: {
            description: 'The items are those of the seed; ids start again.',
            headers: NO_STORE_FIELD,
          },
        },
        problems: resetProblems,
        needsToken: true,
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
        description: 'Each with its remaining seconds.',
        tag: TAG,
        responses: { 200: IN_FORCE },
        needsToken: true,
      },
      handle: tellFaults,
    }),
    describedRoute({
      method: 'PUT',
      path: '/admin/faults',
      operation: {
        id: 'setFaults',
        summary: 'Set the faults in force',
        description:
          'Replaces all faults. The first fault that matches a request decides, even ' +
          'if its rate then spares the request.',
        tag: TAG,
        content: faultsContent,
        responses: { 200: IN_FORCE },
        needsToken: true,
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
        summary: 'Remove all faults',
        description: 'The response has the faults in force: none.',
        tag: TAG,
        responses: { 200: { ...IN_FORCE, example: { faults: [] } } },
        needsToken: true,
      },
      handle: () => {
        faults.set([]);
        return tellFaults();
      },
    }),
  ];
}
