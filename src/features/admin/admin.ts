import { ConfigError, fileContent, filePath, textOf } from '../../config/setting.ts';
import { isExempt } from '../exempt.ts';
import { defineFeature } from '../feature.ts';
import { ADMIN_PREFIX, BEARER_TOKEN, bearer, hidden, UNAUTHORIZED } from './bearer.ts';
import { Faults, INJECTED_FAULT } from './faults.ts';
import { Journal } from './journal.ts';
import { adminRoutes } from './routes.ts';

const TOKEN = {
  variable: 'ADMIN_TOKEN',
  description: 'bearer token for the paths below /admin/, which are 404 without it',
  ...textOf('letters, digits and -._~+/, with = only at the end', BEARER_TOKEN),
  isSecret: true,
};

const TOKEN_FILE = {
  variable: 'ADMIN_TOKEN_FILE',
  description: 'file with the bearer token for the paths below /admin/',
  ...filePath(),
};

/** For test suites, over HTTP with a token, and for the program that has the service in it. */
export const ADMIN = defineFeature({ token: TOKEN, tokenFile: TOKEN_FILE }, (values, service) => {
  const token = tokenOf(values.token, values.tokenFile);
  if (token === null && service.onControl === undefined) return undefined;
  const [faults, journal] = [new Faults(), new Journal()];
  service.onReset(() => {
    faults.set([]);
    journal.clear();
  });
  const control = { ...service, faults, journal };
  service.onControl?.(control);
  const middleware = [journal.middleware, faults.middleware];
  if (token === null) return { middleware };
  return {
    middleware: [hidden, bearer(token), ...middleware],
    routes: adminRoutes(control),
    problemsOf: ({ path }) => {
      if (path.startsWith(ADMIN_PREFIX)) return [UNAUTHORIZED];
      return isExempt(path) ? [] : [INJECTED_FAULT];
    },
  };
});

/** The token, from either setting. @throws ConfigError */
function tokenOf(token: string | null, tokenFile: string | null): string | null {
  if (tokenFile === null) return token;
  const { variable } = TOKEN_FILE;
  if (token !== null) throw new ConfigError(`${TOKEN.variable} and ${variable} exclude each other`);
  const text = fileContent(variable, tokenFile).replace(/\r?\n$/, '');
  if (BEARER_TOKEN.test(text)) return text;
  throw new ConfigError(`${variable} must name a file that has only ${TOKEN.allowed}`);
}
