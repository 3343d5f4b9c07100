import { parseArgs } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import type { Variant } from './todo/fields.ts';
import { VARIANTS } from './todo/variants.ts';

/** What the process is told from outside, checked. */
export interface Config {
  readonly port: number;
  /** Undefined: all interfaces. */
  readonly host: string | undefined;
  readonly variant: Variant;
  /** Undefined: the system's. */
  readonly timeZone: string | undefined;
  readonly maxRows: number;
  readonly drainTimeoutMs: number;
}

/** What the command line asks for. */
export type Command =
  | { readonly name: 'serve'; readonly config: Config }
  | { readonly name: 'help' }
  | { readonly name: 'version' };

/** A setting that cannot be used; the message is one line that says what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** One setting: an environment variable, and a flag of the same name that wins over it. */
interface Setting<T> {
  /** The environment variable; `MAX_ROWS` is also the flag `--max-rows`. */
  readonly variable: string;
  readonly default: string;
  readonly description: string;
  /** What a value must be, to finish the sentence "PORT must be …". */
  readonly allowed: string;
  /** The value that a text means, undefined where it is not allowed. */
  readonly parse: (text: string) => T | undefined;
}

/** The default of a setting that is left to the system. */
const SYSTEM = 'system';

/**
 * With descriptions of 100 characters an item takes 600 to 700 bytes, all indexes included (bench/README.md); the rest is
 * for requests under way, and for the part of the heap that holds no items.
 */
const HEAP_BYTES_PER_ROW = 1536;

/** The most items kept by default, however large the heap. */
const MOST_ROWS = 1_000_000;

const SETTINGS = {
  port: {
    variable: 'PORT',
    default: '8080',
    description: 'port to listen on; 0 is any free one',
    ...integer(0, 65_535),
  },
  host: {
    variable: 'HOST',
    default: '*',
    description: 'address to listen on; * is all interfaces',
    allowed: 'a host name, an IP address or *',
    parse: (text) => (/^(?:\*|[0-9A-Za-z:][0-9A-Za-z.:-]*)$/.test(text) ? text : undefined),
  },
  variant: {
    variable: 'VARIANT',
    default: 'a',
    description: 'form of the items: a (32-bit ids) or b (64-bit ids, createdAt)',
    allowed: [...VARIANTS.keys()].join(' or '),
    parse: (text) => VARIANTS.get(text),
  },
  timeZone: {
    variable: 'TZ',
    default: SYSTEM,
    description: 'time zone of createdAt, such as Europe/Berlin',
    allowed: 'an IANA time zone, such as Europe/Berlin',
    parse: (text) => (text === SYSTEM || isTimeZone(text) ? text : undefined),
  },
  maxRows: {
    variable: 'MAX_ROWS',
    default: String(rowsThatFit(getHeapStatistics().heap_size_limit)),
    description: 'most items that are kept; a create beyond it is answered with 507',
    ...integer(1, 100_000_000),
  },
  drainTimeoutMs: {
    variable: 'DRAIN_TIMEOUT_MS',
    default: '8000',
    description: 'milliseconds that requests in flight get after SIGTERM or SIGINT',
    ...integer(0, 3_600_000),
  },
} satisfies { readonly [K in keyof Config]: Setting<NonNullable<Config[K]>> };

/**
 * Reads flags and environment variables.
 * @throws ConfigError for the first value, flag or argument that is not understood.
 */
export function parseCommand(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  const flags = parseFlags(args);
  if (flags.help === true) return { name: 'help' };
  if (flags.version === true) return { name: 'version' };
  const read = <T>(setting: Setting<T>): T => {
    const flag = flags[flagOf(setting)];
    const isFlag = typeof flag === 'string';
    const text = isFlag ? flag : (env[setting.variable] ?? setting.default);
    const value = setting.parse(text);
    if (value !== undefined) return value;
    const source = isFlag ? `--${flagOf(setting)}` : setting.variable;
    throw new ConfigError(`${source} must be ${setting.allowed}, not ${JSON.stringify(text)}`);
  };
  const host = read(SETTINGS.host);
  const timeZone = read(SETTINGS.timeZone);
  const config = {
    port: read(SETTINGS.port),
    host: host === '*' ? undefined : host,
    variant: read(SETTINGS.variant),
    timeZone: timeZone === SYSTEM ? undefined : timeZone,
    maxRows: read(SETTINGS.maxRows),
    drainTimeoutMs: read(SETTINGS.drainTimeoutMs),
  };
  return { name: 'serve', config };
}

/** The text that `--help` prints. */
export function helpText(): string {
  const rows = Object.values(SETTINGS).map((setting) => [
    `--${flagOf(setting)}`,
    setting.variable,
    `${setting.description} (default: ${setting.default})`,
  ]);
  rows.push(['--help', '', 'print this text'], ['--version', '', 'print the version']);
  const lines = rows.map(
    ([flag = '', variable = '', text]) => `  ${flag.padEnd(20)} ${variable.padEnd(18)} ${text}`,
  );
  return `todo-service: a todo-list REST service that keeps its items in memory

usage: node dist/main.js [--flag value]...

A flag wins over the environment variable beside it.

${lines.join('\n')}
`;
}

function parseFlags(args: readonly string[]): Readonly<Record<string, unknown>> {
  const flag = { type: 'string' } as const;
  const options = Object.fromEntries(
    Object.values(SETTINGS).map((setting) => [flagOf(setting), flag]),
  );
  try {
    const all = { ...options, help: { type: 'boolean' }, version: { type: 'boolean' } } as const;
    return parseArgs({ args: [...args], options: all }).values;
  } catch (error) {
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(/[.\n]/);
    throw new ConfigError(`${sentence}; --help lists the flags`);
  }
}

function flagOf({ variable }: Setting<unknown>): string {
  return variable.toLowerCase().replaceAll('_', '-');
}

function integer(min: number, max: number): Pick<Setting<number>, 'allowed' | 'parse'> {
  return {
    allowed: `an integer from ${min} to ${max}`,
    parse: (text) => {
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

/** How many usual items a heap has room for, so that a small container is full before it is out of memory. */
export function rowsThatFit(heapBytes: number): number {
  return Math.min(MOST_ROWS, Math.floor(heapBytes / HEAP_BYTES_PER_ROW));
}

function isTimeZone(text: string): boolean {
  try {
    return /^[A-Za-z]/.test(text) && Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}
