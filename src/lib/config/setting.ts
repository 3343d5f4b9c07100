import { readFileSync, statSync } from 'node:fs';
import { getSystemErrorMap } from 'node:util';
import { printable, quoted } from '../printable.ts';

/** A setting: an environment variable, and a flag of the same name that overrides it. */
interface Setting<T> {
  readonly default: T;
  readonly defaultText: string;
  readonly description: string;
  /** The allowed values; completes the sentence "PORT must be …". */
  readonly allowed: string;
  /** Parses a string; undefined if it is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** Whether a text may be or contain a secret. Then no output has it. False by default. */
  readonly isSecret?: boolean;
  /** Ends the sentence about a text that is not allowed, without repeating it: it may be a secret. */
  readonly hint?: (text: string) => string;
  /** Describes a valid value in a few words, in place of its text. */
  summary?(value: T): string;
  /** Arguments that were probably meant as the flag or its value, and an example of a right value. */
  readonly argument?: { readonly pattern: RegExp; readonly example: string };
  /** The variable with which an image sets its default. */
  readonly imageVariable?: string;
  /** What to do instead, if an earlier version had this setting. Every value is refused. */
  readonly withdrawn?: string;
}

/** A value given to a setting. */
export interface GivenValue {
  readonly setting: Setting<unknown>;
  /** The name of the flag or environment variable. */
  readonly source: string;
  readonly text: string;
}

/** An invalid setting. The message is one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(sentence: string) {
    super(printable(sentence));
  }
}

/** The error of a value that is not allowed. */
export function invalid(given: GivenValue): ConfigError {
  return new ConfigError(`${given.source} ${refusalOf(given)}`);
}

/** The rule that a value violates: "must be …, not …". What may be a secret is left out. */
export function refusalOf({ setting, text }: Pick<GivenValue, 'setting' | 'text'>): string {
  if (setting.withdrawn !== undefined) return `was withdrawn; ${setting.withdrawn}`;
  const found = setting.isSecret || mayHaveUserinfo(text) ? '' : `, not ${quoted(text)}`;
  return `must be ${setting.allowed}${found}${setting.hint?.(text) ?? ''}`;
}

/** Whether a text may be a URL with a password (`https://me:password@host`). Then no output has it. */
export function mayHaveUserinfo(text: string): boolean {
  return text.includes('@');
}

/** Runs a function. @throws ConfigError with a sentence and the reason, if the function throws */
export function orConfigError<T>(sentence: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ConfigError(`${sentence}: ${reasonOf(error)}`);
  }
}

/**
 * The message of an error. For an error of the system, its code and the meaning of the code: the
 * message of Node has the path, which may be a misplaced secret.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const meaning = 'errno' in error && getSystemErrorMap().get(Number(error.errno));
  return meaning ? meaning.join(': ') : error.message;
}

/** More than any token, password or certificate. */
const MAX_FILE_BYTES = 1_048_576;

/** Reads the text file of a setting, without a final line end. @throws ConfigError */
export function fileContent(setting: string, file: string): string {
  return orConfigError(`${setting} cannot be read`, () => {
    const stats = statSync(file);
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > MAX_FILE_BYTES) throw new Error(`it has more than ${MAX_FILE_BYTES} bytes`);
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  });
}

/** The environment variable of a setting: `MAX_ROWS` for `maxRows`. */
export function variableOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}

/** Settings by name: `maxRows` is the variable `MAX_ROWS`, and the flag `--max-rows`. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** The value of each setting, by its name. */
export type ValuesOf<S extends Settings> = {
  readonly [K in keyof S]: Exclude<ReturnType<S[K]['parse']>, undefined> | S[K]['default'];
};

/** The type of a setting's values. */
type ValueType<T> = Pick<Setting<T>, 'default' | 'defaultText' | 'allowed' | 'parse'>;

/** A decimal integer. */
export function integer(min: number, max: number, fallback: number): ValueType<number> {
  return {
    default: fallback,
    defaultText: String(fallback),
    allowed: `an integer from ${min} to ${max}`,
    parse: (text) => {
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

const SWITCH = new Map(Object.entries({ on: true, off: false, true: true, false: false }));

/** `on` or `off`; `true` and `false` are accepted, too. */
export function onOff(fallback: boolean): ValueType<boolean> {
  return { ...choice(SWITCH, fallback), allowed: 'on or off' };
}

/** Like {@link onOff}, with further words. */
export function onOffOr<const W extends string>(...words: readonly W[]): ValueType<boolean | W> {
  const values = new Map<string, boolean | W>([
    ...SWITCH,
    ...words.map((each) => [each, each] as const),
  ]);
  return { ...choice(values, false), allowed: ['on', 'off', ...words].join(' or ') };
}

/** A setting of an earlier version. @param advice what to do instead */
export function withdrawn(advice: string): Setting<null> {
  const nothing = { default: null, defaultText: 'none', allowed: 'absent', parse: () => undefined };
  return { ...nothing, description: 'withdrawn', withdrawn: advice };
}

/** A string that matches `form`; null by default. */
export function text(allowed: string, form = /./s): ValueType<string | null> {
  const parse = (value: string) => (form.test(value) ? value : undefined);
  return { default: null, defaultText: 'none', allowed, parse };
}

/** The path of a file; null by default. */
export const FILE_PATH = text('the path of a file, not its content', /^(?!-----BEGIN)[^\0]+$/);

/** The path of a secret or of a certificate; null by default. */
export const SECRET_FILE = { ...FILE_PATH, isSecret: true } as const;

/** One of several names, each with its value. */
export function choice<T>(values: ReadonlyMap<string, T>, fallback: T): ValueType<T> {
  const names = [...values.keys()];
  return {
    default: fallback,
    defaultText: names.find((name) => values.get(name) === fallback) ?? '',
    allowed: names.join(' or '),
    parse: (text) => values.get(text),
  };
}

/** One of `words`. The first word is the default. */
export function word<const W extends string>(...words: readonly [W, ...W[]]): ValueType<W> {
  return choice(new Map(words.map((each) => [each, each])), words[0]);
}
