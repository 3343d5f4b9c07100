import {
  type Config,
  ConfigError,
  fileContent,
  SECRET_FILE,
  text,
} from '../../lib/config/index.ts';
import { NO_STORE, type Request, withHeaders } from '../../lib/http/index.ts';
import { loadModule } from '../../lib/node-module.ts';
import type { Feature } from '../feature.ts';
import { serviceProblem } from '../problem-types.ts';
import { ADMIN } from '../reserved-paths.ts';

/** The characters of a token (RFC 6750, section 2.1). */
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** The settings of the token. Only one of them may be given. */
export const TOKEN_SETTINGS = {
  adminToken: {
    description: 'bearer token for /admin/; without one, /admin/ is 404, except at a terminal',
    ...text('letters, digits and -._~+/, with = only at the end', BEARER_TOKEN),
    isSecret: true,
  },
  adminTokenFile: {
    description: 'file with the bearer token for /admin/',
    ...SECRET_FILE,
  },
};

/** The token, from either setting. @throws ConfigError */
function tokenOf(config: Config): string | null {
  const { adminToken, adminTokenFile } = config.of(TOKEN_SETTINGS);
  if (adminTokenFile === null) return adminToken;
  if (adminToken !== null) {
    throw new ConfigError('set ADMIN_TOKEN or ADMIN_TOKEN_FILE, not both');
  }
  const name = config.nameOf('adminTokenFile');
  const token = fileContent(name, adminTokenFile);
  if (BEARER_TOKEN.test(token)) return token;
  const { allowed } = TOKEN_SETTINGS.adminToken;
  throw new ConfigError(`${name} must name a file that has only ${allowed}`);
}

const TOKEN_BYTES = 16;

/**
 * Makes a token for this run of the program, which is gone with it. Hexadecimal, because terminals
 * take some other characters for the end of a URL. Undefined if a setting has a token.
 */
export function tokenOfRun(config: Config): string | undefined {
  const isGiven = Object.keys(TOKEN_SETTINGS).some((name) => config.isGiven(name));
  return isGiven ? undefined : loadModule('node:crypto').randomBytes(TOKEN_BYTES).toString('hex');
}

/**
 * Requires a bearer token (RFC 6750) below `/admin`, and hides the responses from caches. Undefined
 * without a token. @throws ConfigError
 * @param ofRun the token that was made for this run, if no setting has one
 */
export function adminAccess(config: Config, ofRun: string | undefined): Feature | undefined {
  const token = ofRun ?? tokenOf(config);
  if (token === null) return undefined;
  const prefix = `${ADMIN}/`;
  const { hash, timingSafeEqual } = loadModule('node:crypto');
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(token);
  const which =
    ofRun === undefined ? 'the right token' : 'the token of this run, which its terminal shows';
  const detail = `Paths below ${prefix} need "Authorization: Bearer" with ${which}`;
  const headers = { 'WWW-Authenticate': 'Bearer' };
  const unauthorized = serviceProblem('unauthorized', detail, { headers });
  const isBelow = ({ localPath }: Request) => localPath.startsWith(prefix);
  const hasToken = ({ headers: { authorization = '' } }: Request) => {
    const [, given = ''] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
    return timingSafeEqual(digest(given), expected);
  };
  return {
    authorize(request) {
      if (isBelow(request) && !hasToken(request)) throw unauthorized;
    },
    transformResponse: (response, request) =>
      isBelow(request) ? withHeaders(response, NO_STORE) : response,
  };
}
