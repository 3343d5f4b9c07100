import { RESET } from '../../todo/reset.ts';
import { bearer, TOKEN_SETTINGS, tokenOf } from '../bearer.ts';
import { INJECTED_FAULT } from '../control/injected-response.ts';
import { isExempt } from '../exempt-paths.ts';
import { defineFeature } from '../feature.ts';
import { adminRoutes } from './routes.ts';

const ADMIN_PREFIX = '/admin/';

/** Control by test suites: over HTTP with a token, or by the program that runs the service. */
export const ADMIN = defineFeature(TOKEN_SETTINGS, (values, { control, isInProcess }) => {
  const token = tokenOf(values);
  if (token === null) return isInProcess ? { middleware: control.middleware } : undefined;
  const { middleware, checkFirst } = bearer(ADMIN_PREFIX, token);
  return {
    middleware: [middleware, ...control.middleware],
    routes: adminRoutes(control).map((route) => ({ ...route, checkFirst })),
    problemsOf: ({ path }) => (isExempt(path) ? [] : [INJECTED_FAULT, RESET]),
  };
});
