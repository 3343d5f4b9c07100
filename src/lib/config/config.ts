import { isDeepStrictEqual } from 'node:util';
import {
  type ConfigError,
  type Given,
  invalid,
  isShown,
  type Settings,
  type ValuesOf,
  variableOf,
} from './setting.ts';

/** A value that has been given, and parsed by its setting. */
export interface Parsed extends Given {
  readonly value: unknown;
}

/** The values of settings: those given, else their defaults. */
export class Config {
  readonly #given: ReadonlyMap<string, Parsed>;
  readonly #defaults: ReadonlyMap<string, Parsed>;

  /** @param defaults those that an image has in place of the settings' own */
  constructor(
    given: ReadonlyMap<string, Parsed> = new Map(),
    defaults: ReadonlyMap<string, Parsed> = new Map(),
  ) {
    this.#given = given;
    this.#defaults = defaults;
  }

  /** The values of settings, by the same names. */
  of<S extends Settings>(settings: S): ValuesOf<S> {
    const values = Object.entries(settings).map(([name, setting]) => {
      const { value } = this.#given.get(name) ?? this.#defaultOf(name, setting);
      return [name, value];
    });
    // Each value has been parsed by its setting, or is its default.
    return Object.fromEntries(values) as ValuesOf<S>;
  }

  #defaultOf(name: string, setting: Settings[string]): { readonly value: unknown } {
    return this.#defaults.get(name) ?? { value: setting.default };
  }

  /** Whether a setting has been given, even if its default. */
  isGiven(name: string): boolean {
    return this.#given.has(name);
  }

  /** What has been given that is not the default, by environment variable; no secrets. */
  get changes(): Readonly<Record<string, string>> {
    const changed = [...this.#given].flatMap(([name, given]) =>
      isDeepStrictEqual(given.value, this.#defaultOf(name, given.setting).value)
        ? []
        : [[variableOf(name), isShown(given) ? given.text : 'set']],
    );
    return Object.fromEntries(changed);
  }

  /** A setting as it was given, for messages: its flag, else its environment variable. */
  nameOf(name: string): string {
    return this.#given.get(name)?.source ?? variableOf(name);
  }

  /** A value as it was given, for messages; the name of the setting if it may be a secret. */
  shown(name: string): string {
    const given = this.#given.get(name);
    return given !== undefined && isShown(given) ? given.text : this.nameOf(name);
  }

  /** The error of a value that has been given, and that its parser could not know to be wrong. */
  invalid(name: string): ConfigError {
    const given = this.#given.get(name);
    if (given === undefined) throw new TypeError(`a default of ${name} is valid`);
    return invalid(given);
  }
}
