/** One setting: an environment variable, and a flag of the same name that wins over it. */
export interface Setting<T> {
  /** The environment variable; `MAX_ROWS` is also the flag `--max-rows`. */
  readonly variable: string;
  /** The value where nothing is said. */
  readonly default: T;
  /** The default as help shows it. */
  readonly defaultText: string;
  readonly description: string;
  /** What a value must be, to finish the sentence "PORT must be …". */
  readonly allowed: string;
  /** The value that a text means, undefined where it is not allowed. */
  readonly parse: (text: string) => T | undefined;
  /** What may be said of a text that is not allowed, such as what was probably meant. */
  readonly hint?: (text: string) => string | undefined;
  /** The value is shown to nobody. */
  readonly isSecret?: boolean;
}

/** A setting that cannot be used; the message is one line that says what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The flag of a setting, without its dashes. */
export function flagOf({ variable }: Pick<Setting<unknown>, 'variable'>): string {
  return variable.toLowerCase().replaceAll('_', '-');
}

/** The values of settings, by the names that they have in a table. */
export type ValuesOf<S extends Readonly<Record<string, Setting<unknown>>>> = {
  readonly [K in keyof S]: Exclude<ReturnType<S[K]['parse']>, undefined> | S[K]['default'];
};

/** A setting that is a decimal integer. */
export function integer(
  min: number,
  max: number,
  fallback: number,
): Pick<Setting<number>, 'default' | 'defaultText' | 'allowed' | 'parse'> {
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

/** A setting that is one of some names, each of which stands for a value. */
export function choice<T>(
  values: ReadonlyMap<string, T>,
  fallback: T,
): Pick<Setting<T>, 'default' | 'defaultText' | 'allowed' | 'parse'> {
  const names = [...values.keys()];
  return {
    default: fallback,
    defaultText: names.find((name) => values.get(name) === fallback) ?? '',
    allowed: names.join(' or '),
    parse: (text) => values.get(text),
  };
}
