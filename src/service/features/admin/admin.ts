import {
  ConfigError,
  fileContent,
  secretFile,
  textOf,
  type ValuesOf,
} from '../../../lib/config/index.ts';
import type { Middleware } from '../../../lib/http/index.ts';
import { bearer } from '../bearer.ts';
import { defineFeature, isExempt, type Service } from '../feature.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';
import { INJECTED_FAULT } from './outcome.ts';
import { adminRoutes, type TestControl } from './routes.ts';
import { ofFormerWorld, RESET, World } from './world.ts';

/** The characters of a token (RFC 6750, section 2.1). */
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** Everything below this path needs the token. */
const ADMIN_PREFIX = '/admin/';

const SETTINGS = {
  adminToken: {
    description: 'bearer token for the paths below /admin/, which are 404 without it',
    ...textOf('letters, digits and -._~+/, with = only at the end', BEARER_TOKEN),
    isSecret: true,
  },
  adminTokenFile: {
    description: 'file with the bearer token for the paths below /admin/',
    ...secretFile(),
  },
};

/** A service that may be a part of a program, which controls it without a token. */
export interface ControlledService extends Service {
  /** Receives what the program can do with the service; undefined if there is no such program. */
  readonly onControl: ((control: TestControl) => void) | undefined;
}

/** For test suites, over HTTP with a token, and for the program that has the service in it. */
export const ADMIN = defineFeature(SETTINGS, (values, service: ControlledService) => {
  const token = tokenOf(values);
  if (token === null && service.onControl === undefined) return undefined;
  const faults = new Faults();
  const journal = new Journal();
  const world = new World();
  service.onReset(() => {
    const reset = ofFormerWorld();
    world.end(reset);
    faults.set([], reset);
    journal.clear();
    service.refuseUnhandled(reset, (path) => path.startsWith(ADMIN_PREFIX));
  });
  service.onStop(() => {
    faults.stop();
    journal.stop();
  });
  const reset: ControlledService['reset'] = (given) => service.reset(given, () => world.settle());
  const control = { ...service, reset, faults, journal };
  service.onControl?.(control);
  const middleware: Middleware = (next) => {
    const tested = journal.middleware(faults.middleware(world.middleware(next)));
    return (request) => {
      const isOfFormerWorld = request.refusal?.code === RESET.code;
      return (isExempt(request.localPath) || isOfFormerWorld ? next : tested)(request);
    };
  };
  if (token === null) return { middleware: [middleware] };
  return {
    middleware: [bearer(ADMIN_PREFIX, token), middleware],
    routes: adminRoutes(control),
    problemsOf: ({ path }) => (isExempt(path) ? [] : [INJECTED_FAULT, RESET]),
  };
});

/** The token, from either setting. @throws ConfigError */
function tokenOf({ adminToken, adminTokenFile }: ValuesOf<typeof SETTINGS>): string | null {
  if (adminTokenFile === null) return adminToken;
  if (adminToken !== null) {
    throw new ConfigError('ADMIN_TOKEN and ADMIN_TOKEN_FILE exclude each other');
  }
  const text = fileContent('ADMIN_TOKEN_FILE', adminTokenFile);
  if (BEARER_TOKEN.test(text)) return text;
  const { allowed } = SETTINGS.adminToken;
  throw new ConfigError(`ADMIN_TOKEN_FILE must name a file that has only ${allowed}`);
}
