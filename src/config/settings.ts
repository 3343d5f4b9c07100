import { getHeapStatistics } from 'node:v8';
import { BEARER_TOKEN } from '../http/middleware/bearer.ts';
import { parseOrigins } from '../http/middleware/cors.ts';
import type { Variant } from '../todo/fields.ts';
import { variantA } from '../todo/variant-a.ts';
import { VARIANTS } from '../todo/variants.ts';
import { memoryPlan } from './memory-plan.ts';
import { choice, integer, type Setting, type ValuesOf } from './setting.ts';
import { canonicalName, isTimeZone } from './time-zone.ts';

const HOST = /^(?:\*|[0-9A-Za-z:][0-9A-Za-z.:-]*(?:%[\w.-]+)?)$/;

const ON_OFF = new Map([
  ['on', true],
  ['off', false],
]);

/** How the heap of this process is divided. */
export const MEMORY = memoryPlan(getHeapStatistics().heap_size_limit);

/** Every setting, in the order in which help lists them. */
export const SETTINGS = {
  port: {
    variable: 'PORT',
    description: 'port to listen on; 0 is any free one',
    ...integer(0, 65_535, 8080),
  },
  host: {
    variable: 'HOST',
    description: 'address to listen on; * is all interfaces',
    default: '*',
    defaultText: '*',
    allowed: 'a host name, an IP address or *',
    parse: (text: string) => (HOST.test(text) ? text : undefined),
  },
  variant: {
    variable: 'VARIANT',
    description: 'form of the items: a (32-bit ids) or b (64-bit ids, createdAt)',
    ...choice<Variant>(VARIANTS, variantA),
  },
  timeZone: {
    variable: 'TZ',
    description: 'time zone of createdAt, such as Europe/Berlin',
    default: undefined,
    defaultText: "the system's",
    allowed: 'an IANA time zone as the zone data spells it, such as Europe/Berlin',
    parse: (text: string) => (isTimeZone(text) ? text : undefined),
    hint: (text: string) => {
      const name = canonicalName(text);
      return name && isTimeZone(name) ? `did you mean ${name}?` : undefined;
    },
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    description: 'origins whose pages may use the service, separated by commas',
    default: parseOrigins('localhost') ?? null,
    defaultText: 'localhost',
    allowed: 'none, or origins such as https://app.example:8443, localhost, or *',
    parse: (text: string) => (text === 'none' ? null : parseOrigins(text)),
  },
  strictQuery: {
    variable: 'STRICT_QUERY',
    description: 'whether query parameters that are not known are refused',
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
    description: 'JSON array of the items that there are at first, and after a reset',
    default: null,
    defaultText: 'none',
    allowed: 'the path of a file',
    parse: (text: string) => (text === '' ? undefined : text),
  },
  adminToken: {
    variable: 'ADMIN_TOKEN',
    description: 'who has it may use /admin/reset and /admin/faults',
    default: null,
    defaultText: 'none: there is no /admin',
    allowed: 'a token of letters, digits and -._~+/, with = at its end if at all',
    parse: (text: string) => (BEARER_TOKEN.test(text) ? text : undefined),
    isSecret: true,
  },
  metrics: {
    variable: 'METRICS',
    description: 'whether there are metrics at /metrics',
    ...choice(ON_OFF, true),
  },
  accessLog: {
    variable: 'ACCESS_LOG',
    description: 'whether a line about each request is logged',
    ...choice(ON_OFF, false),
  },
  maxEventStreams: {
    variable: 'MAX_EVENT_STREAMS',
    description: 'event streams that may be open at once; 0 switches them off',
    ...integer(0, 100_000, 1_000),
  },
  maxRows: {
    variable: 'MAX_ROWS',
    description: 'most items that are kept; a create beyond it is answered with 507',
    ...integer(1, 100_000_000, 1_000_000),
  },
  maxBytes: {
    variable: 'MAX_BYTES',
    description: 'most bytes that items may take; a write beyond it is answered with 507',
    ...integer(65_536, Number.MAX_SAFE_INTEGER, MEMORY.maxBytes),
  },
  drainDelayMs: {
    variable: 'DRAIN_DELAY_MS',
    description: 'milliseconds to serve as before after SIGTERM, while /readyz is 503',
    ...integer(0, 3_600_000, 0),
  },
  drainTimeoutMs: {
    variable: 'DRAIN_TIMEOUT_MS',
    description: 'milliseconds that requests in flight get after SIGTERM or SIGINT',
    ...integer(0, 3_600_000, 8_000),
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

/** What the process is told from outside, checked. */
export type Config = ValuesOf<typeof SETTINGS>;
