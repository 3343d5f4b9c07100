import { defineFeature } from '../feature.ts';
import { BEARER_TOKEN, bearer, hidden, UNAUTHORIZED } from './bearer.ts';
import { Faults, INJECTED_FAULT, isExempt } from './faults.ts';
import { ADMIN_PREFIX, adminRoutes } from './routes.ts';

/** Reset and faults, for test suites, for those who have a token. */
export const ADMIN = defineFeature(
  {
    token: {
      variable: 'ADMIN_TOKEN',
      description: 'bearer token for /admin/reset and /admin/faults; without it they are 404',
      default: null,
      defaultText: 'none',
      allowed: 'letters, digits and -._~+/, with = only at the end',
      parse: (text: string) => (BEARER_TOKEN.test(text) ? text : undefined),
      isSecret: true,
    },
  },
  ({ token }, service) => {
    if (token === null) return undefined;
    const faults = new Faults();
    return {
      middleware: [hidden(ADMIN_PREFIX), bearer(ADMIN_PREFIX, token), faults.middleware],
      routes: adminRoutes(service, faults),
      problemsOf: ({ path }) => {
        if (path.startsWith(ADMIN_PREFIX)) return [UNAUTHORIZED];
        return isExempt(path) ? [] : [INJECTED_FAULT];
      },
    };
  },
);
