import { isIP } from 'node:net';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { BEARER_TOKEN } from '../http/middleware/bearer.ts';
import { parseOrigins } from '../http/middleware/cors.ts';
import type { Variant } from '../todo/variant.ts';
import { variantA } from '../todo/variant-a.ts';
import { VARIANTS } from '../todo/variants.ts';
import { ETCD_SETTINGS } from './etcd-settings.ts';
import { memoryPlan, oldGenerationBytes } from './memory-plan.ts';
import { choice, integer, type Setting, type ValuesOf } from './setting.ts';
import { canonicalName, isTimeZone } from './time-zone.ts';

const HOST_NAME = /^[0-9A-Za-z][0-9A-Za-z.-]*$/;

const ON_OFF = new Map([
  ['on', true],
  ['off', false],
]);

/** The memory that this process may use, in bytes: the machine's, or its container's. */
const USABLE_BYTES = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** How this process divides its heap. */
export const MEMORY = memoryPlan(
  oldGenerationBytes(getHeapStatistics().heap_size_limit, USABLE_BYTES),
);

/** Every setting, in the order of `--help`. */
export const SETTINGS = {
  port: {
    variable: 'PORT',
    description: 'port to listen on; 0 picks a free one',
    ...integer(0, 65_535, 8080),
  },
  host: {
    variable: 'HOST',
    description: 'address to listen on; * means all interfaces',
    default: '*',
    defaultText: '*',
    allowed: 'a host name, an IP address or *',
    parse: (text: string) =>
      text === '*' || isIP(text) > 0 || HOST_NAME.test(text) ? text : undefined,
  },
  variant: {
    variable: 'VARIANT',
    description: 'shape of the items: a (32-bit ids) or b (64-bit ids, createdAt)',
    ...choice<Variant>(VARIANTS, variantA),
  },
  timeZone: {
    variable: 'TZ',
    description: 'time zone of createdAt, such as Europe/Berlin',
    default: undefined,
    defaultText: "the system's",
    allowed: 'an IANA time zone in its exact spelling, such as Europe/Berlin',
    parse: (text: string) => (isTimeZone(text) ? text : undefined),
    hint: (text: string) => {
      const name = canonicalName(text);
      return name && isTimeZone(name) ? `did you mean ${name}?` : undefined;
    },
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    description: 'origins whose pages may call the service, comma-separated; * for all, or none',
    default: parseOrigins('localhost') ?? null,
    defaultText: 'localhost',
    allowed: 'none, *, or origins such as https://app.example:8443 (no / at the end) or localhost',
    parse: (text: string) => (text === 'none' ? null : parseOrigins(text)),
  },
  strictQuery: {
    variable: 'STRICT_QUERY',
    description: 'refuse unknown query parameters with 400',
    ...choice(
      new Map([
        ['true', true],
        ['false', false],
      ]),
      false,
    ),
  },
  seedFile: {
    variable: 'SEED_FILE',
    description: 'JSON file with the items to start with, and to reset to',
    default: null,
    defaultText: 'none',
    allowed: 'the path of a file',
    parse: (text: string) => (text === '' ? undefined : text),
  },
  adminToken: {
    variable: 'ADMIN_TOKEN',
    description: 'bearer token for /admin/reset and /admin/faults; without it they are 404',
    default: null,
    defaultText: 'none',
    allowed: 'letters, digits and -._~+/, with = only at the end',
    parse: (text: string) => (BEARER_TOKEN.test(text) ? text : undefined),
    isSecret: true,
  },
  metrics: {
    variable: 'METRICS',
    description: 'serve Prometheus metrics at /metrics',
    ...choice(ON_OFF, true),
  },
  accessLog: {
    variable: 'ACCESS_LOG',
    description: 'log one JSON line per request',
    ...choice(ON_OFF, false),
  },
  maxEventStreams: {
    variable: 'MAX_EVENT_STREAMS',
    description: 'most event streams open at once; 0 turns them off',
    ...integer(0, 100_000, 1_000),
  },
  maxRows: {
    variable: 'MAX_ROWS',
    description: 'most items to keep; a create beyond that gets 507',
    ...integer(1, 100_000_000, 1_000_000),
  },
  maxBytes: {
    variable: 'MAX_BYTES',
    description: 'most bytes of memory for items; a write beyond that gets 507',
    ...integer(65_536, Number.MAX_SAFE_INTEGER, MEMORY.maxBytes),
  },
  store: {
    variable: 'STORE',
    description: 'where to keep items: in memory, or in etcd, which several replicas can share',
    ...choice(
      new Map([
        ['memory', 'memory'],
        ['etcd', 'etcd'],
      ] as const),
      'memory',
    ),
  },
  ...ETCD_SETTINGS,
  drainDelayMs: {
    variable: 'DRAIN_DELAY_MS',
    description: 'milliseconds to go on serving after SIGTERM or SIGINT, while /readyz is 503',
    ...integer(0, 3_600_000, 0),
  },
  drainTimeoutMs: {
    variable: 'DRAIN_TIMEOUT_MS',
    description: 'milliseconds for requests in flight to finish after SIGTERM or SIGINT',
    ...integer(0, 3_600_000, 8_000),
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

/** The values of all settings, checked. */
export type Config = ValuesOf<typeof SETTINGS>;
