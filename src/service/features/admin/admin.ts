import {
  ConfigError,
  fileContent,
  secretFile,
  textOf,
  type ValuesOf,
} from '../../../lib/config/index.ts';
import {
  type Middleware,
  mapResponse,
  NO_STORE,
  Problem,
  withHeaders,
} from '../../../lib/http/index.ts';
import { PROBLEM_TYPES } from '../../problem-types.ts';
import { defineFeature, isExempt, type Service } from '../feature.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';
import { fieldsOf } from './matching.ts';
import { INJECTED_FAULT } from './outcome.ts';
import { adminRoutes, type TestControl, UNAUTHORIZED } from './routes.ts';
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
    service.refuseUnhandled(reset, isAdmin);
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
    middleware: [bearer(token), middleware],
    routes: adminRoutes(control),
    problemsOf: ({ path }) => (isExempt(path) ? [] : [INJECTED_FAULT, RESET]),
  };
});

function isAdmin(path: string): boolean {
  return path.startsWith(ADMIN_PREFIX);
}

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

/** Requires a bearer token (RFC 6750); keeps what needs it from other origins, and from caches. */
export function bearer(token: string): Middleware {
  // Loaded only for a service with a token, because that takes as long as a tenth of the start.
  const { hash, timingSafeEqual } = process.getBuiltinModule('node:crypto');
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(token);
  const detail = `Paths below ${ADMIN_PREFIX} need "Authorization: Bearer" with the right token`;
  const headers = { 'WWW-Authenticate': 'Bearer' };
  const unauthorized = new Problem(UNAUTHORIZED, detail, { headers });
  return (next) => (request) => {
    if (!isAdmin(request.localPath)) return next(request);
    const [field = '', ...others] = fieldsOf(request, 'authorization');
    const [, given = ''] = /^bearer +(\S+)$/i.exec(field) ?? [];
    const isRight = timingSafeEqual(digest(given), expected) && others.length === 0;
    const response = isRight ? next(request) : unauthorized.toResponse(request.path, PROBLEM_TYPES);
    return mapResponse(response, request, (each) => ({
      ...withHeaders(each, NO_STORE),
      isPrivate: true,
    }));
  };
}
