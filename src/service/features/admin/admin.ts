import type { Middleware } from '../../../lib/http/index.ts';
import { bearer, TOKEN_SETTINGS, tokenOf } from '../bearer.ts';
import { defineFeature, isExempt, type Service } from '../feature.ts';
import { faultMembers } from './fault-members.ts';
import { Faults } from './faults.ts';
import { INJECTED_FAULT } from './injected-response.ts';
import { Journal } from './journal.ts';
import { adminRoutes, type TestControl } from './routes.ts';
import { OF_FORMER_WORLD, RESET, World } from './world.ts';

const ADMIN_PREFIX = '/admin/';

/** A service that may be a part of a program, which controls it without a token. */
export interface ControlledService extends Service {
  /** Receives what the program can do with the service; undefined if there is no such program. */
  readonly onControl: ((control: TestControl) => void) | undefined;
}

/** For test suites, over HTTP with a token, and for the program that has the service in it. */
export const ADMIN = defineFeature(TOKEN_SETTINGS, (values, service: ControlledService) => {
  const token = tokenOf(values);
  if (token === null && service.onControl === undefined) return undefined;
  const members = faultMembers(service);
  const faults = new Faults(members);
  const journal = new Journal();
  const world = new World();
  service.onReset(() => {
    world.end(OF_FORMER_WORLD);
    faults.set([], OF_FORMER_WORLD);
    journal.clear();
    service.refuseUnhandled(OF_FORMER_WORLD, (path) => path.startsWith(ADMIN_PREFIX));
  });
  service.onStop(() => {
    faults.stop();
    journal.waits.end();
  });
  const reset: ControlledService['reset'] = (given) =>
    service.reset(given, (commit) => world.settle(commit));
  const control = { ...service, reset, members, faults, journal };
  service.onControl?.(control);
  const middleware: Middleware = (next) => {
    const tested = journal.middleware(faults.middleware(world.middleware(next)));
    return (request) => {
      const isSpared = isExempt(request.localPath) || request.refusal === OF_FORMER_WORLD;
      return (isSpared ? next : tested)(request);
    };
  };
  if (token === null) return { middleware: [middleware] };
  const { middleware: protection, checkFirst } = bearer(ADMIN_PREFIX, token);
  return {
    middleware: [protection, middleware],
    routes: adminRoutes(control).map((route) => ({ ...route, checkFirst })),
    problemsOf: ({ path }) => (isExempt(path) ? [] : [INJECTED_FAULT, RESET]),
  };
});
