import { choice, integer, type Setting } from './setting.ts';

/** What an endpoint may be: a scheme, a host and perhaps a port, and no path. */
function endpointsOf(text: string): readonly string[] | undefined {
  const urls = text.split(',').map((part) => part.trim().replace(/\/$/, ''));
  return urls.every(isOrigin) ? urls : undefined;
}

function isOrigin(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { pathname, search, hash, username, password } = new URL(text);
  return pathname === '/' && [search, hash, username, password].every((part) => part === '');
}

const file = (variable: string, description: string) => ({
  variable,
  description,
  default: null,
  defaultText: 'none',
  allowed: 'the path of a file',
  parse: (text: string) => (text === '' ? undefined : text),
});

/** Settings that count where STORE is etcd (docs/replicas.md). */
export const ETCD_SETTINGS = {
  etcdEndpoints: {
    variable: 'ETCD_ENDPOINTS',
    description: 'where etcd is, separated by commas',
    default: ['http://127.0.0.1:2379'],
    defaultText: 'http://127.0.0.1:2379',
    allowed: 'http or https URLs without a path, separated by commas',
    parse: endpointsOf,
  },
  etcdPrefix: {
    variable: 'ETCD_PREFIX',
    description: 'what the keys of this list begin with',
    default: '/todo-service/',
    defaultText: '/todo-service/',
    allowed: 'letters, digits and any of -._/, with / at the end',
    parse: (text: string) => (/^[\w./-]*\/$/.test(text) ? text : undefined),
  },
  reads: {
    variable: 'READS',
    description: 'linearizable, or local, which may be old and needs no etcd',
    ...choice(
      new Map([
        ['linearizable', 'linearizable'],
        ['local', 'local'],
      ] as const),
      'linearizable',
    ),
  },
  storeTimeoutMs: {
    variable: 'STORE_TIMEOUT_MS',
    description: 'milliseconds that a request may wait for etcd',
    ...integer(100, 600_000, 5_000),
  },
  etcdCa: file('ETCD_CA', 'certificates that sign those of etcd, as PEM'),
  etcdCert: file('ETCD_CERT', 'certificate to show to etcd, as PEM'),
  etcdKey: file('ETCD_KEY', 'key of that certificate, as PEM'),
  etcdUser: {
    variable: 'ETCD_USER',
    description: 'user to log in to etcd as',
    default: null,
    defaultText: 'none',
    allowed: 'the name of a user',
    parse: (text: string) => (text === '' ? undefined : text),
  },
  etcdPasswordFile: file('ETCD_PASSWORD_FILE', 'its password, in a file'),
} as const satisfies Readonly<Record<string, Setting<unknown>>>;
