import { printable, quoted } from '../printable.ts';
import { readInputFile } from './input-file.ts';

/** A setting: an environment variable, and a flag of the same name that overrides it. */
export interface Setting<T> {
  readonly default: T;
  readonly defaultText: string;
  readonly description: string;
  /** What is allowed; completes the sentence "PORT must be …". */
  readonly allowed: string;
  /** Parses a text; undefined if it is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** A hint about a text that is not allowed, such as what was probably meant. */
  readonly hint?: (text: string) => string | undefined;
  /** Whether a value is never shown, because it may be a secret; false by default. */
  readonly isSecret?: boolean | ((text: string) => boolean);
  /** A variable of an image that says its own default. */
  readonly imageVariable?: string;
}

/** A value that somebody has given a setting. */
export interface Given {
  readonly setting: Setting<unknown>;
  /** The flag or the environment variable, as it is written. */
  readonly source: string;
  readonly text: string;
}

/** An invalid setting; the message is one line that says what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(sentence: string) {
    super(printable(sentence));
  }
}

/** Marks of a text that may contain a URL's password, a query or a key. */
const MAY_BE_SECRET = /@|%40|\?|-----BEGIN/;

/** Whether a value may be shown, because neither the setting nor its text makes it a secret. */
export function isShown({ setting: { isSecret = false }, text }: Given): boolean {
  const isHidden = typeof isSecret === 'function' ? isSecret(text) : isSecret;
  return !isHidden && !MAY_BE_SECRET.test(text);
}

/** The error of a value that is not allowed. */
export function invalid(given: Given): ConfigError {
  const { setting, source, text } = given;
  const found = isShown(given) ? `, not ${quoted(text)}` : '';
  const sentence = `${source} must be ${setting.allowed}${found}`;
  const hint = setting.hint?.(text);
  return new ConfigError(hint === undefined ? sentence : `${sentence}; ${hint}`);
}

/** @throws ConfigError with a sentence and the reason, if the function throws */
export function orConfigError<T>(sentence: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw configError(sentence, error);
  }
}

/** An error whose message is a sentence and, as its reason, another error. */
export function configError(sentence: string, error: unknown): ConfigError {
  return new ConfigError(`${sentence}: ${reasonOf(error)}`);
}

/** Without the path that Node adds to a system error: it may be a secret in the wrong place. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'syscall' in error ? error.message.replace(/, \w+(?: '.*)?$/s, '') : error.message;
}

/** No token, password or certificate is longer; a device may have no end. */
const MAX_FILE_BYTES = 1_048_576;

/** Reads a text file that a setting names, without the end of its last line. @throws ConfigError */
export function fileContent(setting: string, file: string): string {
  return orConfigError(`${setting} cannot be read`, () =>
    readInputFile(file, MAX_FILE_BYTES)
      .toString()
      .replace(/\r?\n$/, ''),
  );
}

/** The environment variable of a setting: `MAX_ROWS` of `maxRows`. */
export function variableOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}

/** Settings by name: `maxRows` is the variable `MAX_ROWS`, and the flag `--max-rows`. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** The values of settings, by the same names. */
export type ValuesOf<S extends Settings> = {
  readonly [K in keyof S]: Exclude<ReturnType<S[K]['parse']>, undefined> | S[K]['default'];
};

/** The parts of a setting that follow from the kind of its values. */
type Values<T> = Pick<Setting<T>, 'default' | 'defaultText' | 'allowed' | 'parse'>;

/** The parts of a setting that is a decimal integer. */
export function integer(min: number, max: number, fallback: number): Values<number> {
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

/** The parts of a setting that is switched on or off. */
export function onOff(fallback: boolean): Values<boolean> {
  return { ...choice(SWITCH, fallback), allowed: 'on or off' };
}

const SWITCH = new Map(Object.entries({ on: true, off: false, true: true, false: false }));

/** The parts of a setting that is a text of some form; null if there is none. */
export function textOf(allowed: string, form = /./s): Values<string | null> {
  const parse = (text: string) => (form.test(text) ? text : undefined);
  return { default: null, defaultText: 'none', allowed, parse };
}

/** The parts of a setting that is the path of a file; null if there is none. */
export const FILE_PATH = textOf('the path of a file, not its content', /^(?!-----BEGIN)[^\0]+$/);

/** The parts of a setting that names a file of a secret or of a certificate; null if none does. */
export const SECRET_FILE = { ...FILE_PATH, isSecret: true } as const;

/** The parts of a setting that is a choice of names, each with its value. */
export function choice<T>(values: ReadonlyMap<string, T>, fallback: T): Values<T> {
  const names = [...values.keys()];
  return {
    default: fallback,
    defaultText: names.find((name) => values.get(name) === fallback) ?? '',
    allowed: names.join(' or '),
    parse: (text) => values.get(text),
  };
}

/** The parts of a setting that is one of some words; the first one is the default. */
export function word<const W extends string>(...words: readonly [W, ...W[]]): Values<W> {
  return choice(new Map(words.map((each) => [each, each])), words[0]);
}
