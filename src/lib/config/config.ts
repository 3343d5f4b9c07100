import { isDeepStrictEqual } from 'node:util';
import {
  type ConfigError,
  type GivenValue,
  invalid,
  type Settings,
  type ValuesOf,
  variableOf,
} from './setting.ts';

/** A given value, parsed by its setting. */
export interface ParsedValue extends GivenValue {
  readonly value: unknown;
}

/** The values of settings: the given value of each, or its default. */
export class Config {
  readonly #given: ReadonlyMap<string, ParsedValue>;
  readonly #imageDefaults: ReadonlyMap<string, ParsedValue>;

  /** @param imageDefaults values that override the defaults of the settings */
  constructor(
    given: ReadonlyMap<string, ParsedValue> = new Map(),
    imageDefaults: ReadonlyMap<string, ParsedValue> = new Map(),
  ) {
    this.#given = given;
    this.#imageDefaults = imageDefaults;
  }

  /** The value of each setting, by its name. */
  of<S extends Settings>(settings: S): ValuesOf<S> {
    const values = Object.entries(settings).map(([name, setting]) => {
      const given = this.#given.get(name);
      return [name, given === undefined ? this.#defaultOf(name, setting) : given.value];
    });
    // Each value has been parsed by its setting, or is its default.
    return Object.fromEntries(values) as ValuesOf<S>;
  }

  /** The default of the image; without one, that of the setting. */
  #defaultOf(name: string, setting: Settings[string]): unknown {
    const imageDefault = this.#imageDefaults.get(name);
    return imageDefault === undefined ? setting.default : imageDefault.value;
  }

  /** Whether a setting was given, even with its default value. */
  isGiven(name: string): boolean {
    return this.#given.has(name);
  }

  /** Settings that differ from their defaults, by variable. A secret appears as `set`. */
  get changes(): Readonly<Record<string, string>> {
    const changed = [...this.#given].filter(
      ([name, { setting, value }]) => !isDeepStrictEqual(value, this.#defaultOf(name, setting)),
    );
    return Object.fromEntries(
      changed.map(([name, { setting, value, text }]) => [
        variableOf(name),
        setting.summary?.(value) ?? (setting.isSecret ? 'set' : text),
      ]),
    );
  }

  /** The name of a setting for messages: the given flag, or the environment variable. */
  nameOf(name: string): string {
    return this.#given.get(name)?.source ?? variableOf(name);
  }

  /** The error of a given value that its parser accepted, but that is invalid. */
  invalid(name: string): ConfigError {
    const given = this.#given.get(name);
    if (given === undefined) throw new TypeError(`${name} was not given, so it cannot be invalid`);
    return invalid(given);
  }
}
