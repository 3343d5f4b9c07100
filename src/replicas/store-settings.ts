import { integer, SECRET_FILE, type Settings, text, word } from '../lib/config/index.ts';

/** The settings of the store, and of the connection to etcd (docs/replicas.md). */
export const STORE_SETTINGS = {
  store: {
    description: 'where to keep items: in memory, or in etcd, for several replicas',
    ...word('memory', 'etcd'),
  },
  etcdEndpoints: {
    description: 'URLs of etcd, comma-separated',
    default: ['http://127.0.0.1:2379'],
    defaultText: 'http://127.0.0.1:2379',
    allowed: 'http or https URLs without user, password and path, separated by commas',
    parse: (text: string) => {
      const urls = text.split(',').map((part) => part.trim().replace(/\/$/, ''));
      return urls.every(isOrigin) ? urls : undefined;
    },
    // A refused value may contain a password; an accepted one cannot.
    isSecret: true,
    summary: (urls: readonly string[]) => urls.join(','),
  },
  etcdPrefix: {
    description: 'prefix of the keys of this list in etcd',
    default: '/todo-service/',
    defaultText: '/todo-service/',
    allowed: 'letters, digits and any of -._/, with / at the end',
    parse: (text: string) => (/^[\w./-]*\/$/.test(text) ? text : undefined),
  },
  storeTimeoutMs: {
    description: 'milliseconds a request may wait for etcd',
    ...integer(100, 600_000, 5_000),
  },
  etcdCa: {
    description: 'PEM file of the authorities that sign the certificates of etcd',
    ...SECRET_FILE,
  },
  etcdCert: { description: 'PEM file of the client certificate for etcd', ...SECRET_FILE },
  etcdKey: { description: 'PEM file of the private key of ETCD_CERT', ...SECRET_FILE },
  etcdUser: {
    description: 'user name for etcd',
    ...text('the name of a user'),
    // Secret, because etcd's own programs accept `user:password` here.
    isSecret: true,
  },
  etcdPasswordFile: { description: 'file with the password of ETCD_USER', ...SECRET_FILE },
} as const satisfies Settings;

/** Whether a text is the URL of an endpoint: scheme, host, possibly a port, and no path. */
function isOrigin(text: string): boolean {
  if (!/^https?:\/\/.*[^/]$/.test(text) || !URL.canParse(text)) return false;
  const { href, origin } = new URL(text);
  return href === `${origin}/`;
}
