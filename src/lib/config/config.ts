import { isDeepStrictEqual } from 'node:util';
import {
  type ConfigError,
  type Given,
  invalid,
  type Settings,
  type ValuesOf,
  variableOf,
} from './setting.ts';

/** A given value, parsed by its setting. */
export interface Parsed extends Given {
  readonly value: unknown;
  /** Whether the text may be printed. */
  readonly isShown: boolean;
}

/** The values of settings: the given value of each, or its default. */
export class Config {
  readonly #given: ReadonlyMap<string, Parsed>;
  readonly #defaults: ReadonlyMap<string, Parsed>;

  /** @param defaults the defaults of an image, which override the defaults of the settings */
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

  /** Whether a setting was given, even with its default value. */
  isGiven(name: string): boolean {
    return this.#given.has(name);
  }

  /** Settings that differ from their defaults, by variable. A secret appears as `set`. */
  get changes(): Readonly<Record<string, string>> {
    const changed = [...this.#given].filter(
      ([name, { setting, value }]) =>
        !isDeepStrictEqual(value, this.#defaultOf(name, setting).value),
    );
    return Object.fromEntries(
      changed.map(([name, { setting, value, text, isShown }]) => [
        variableOf(name),
        setting.summary?.(value) ?? (isShown ? text : 'set'),
      ]),
    );
  }

  /** The name of a setting for messages: the given flag, or the environment variable. */
  nameOf(name: string): string {
    return this.#given.get(name)?.source ?? variableOf(name);
  }

  /** A given value for messages; the name of the setting if the value may be a secret. */
  formatValue(name: string): string {
    const given = this.#given.get(name);
    return given?.isShown ? given.text : this.nameOf(name);
  }

  /** The error of a given value that its parser accepted, but that is invalid. */
  invalid(name: string): ConfigError {
    const given = this.#given.get(name);
    if (given === undefined) throw new TypeError(`${name} was not given, so it cannot be invalid`);
    return invalid(given, given.isShown);
  }
}
