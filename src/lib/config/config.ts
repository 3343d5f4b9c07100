import { type Setting, type Settings, type ValuesOf, variableOf } from './setting.ts';

/** A value that somebody has given a setting. */
export interface Given {
  readonly setting: Setting<unknown>;
  /** The flag or the environment variable, as it is written. */
  readonly source: string;
  readonly text: string;
  readonly value: unknown;
}

/** The values of settings: those given, else their defaults. */
export class Config {
  readonly #given: ReadonlyMap<string, Given>;

  /** @param given the values that differ from the defaults, or repeat them; each valid */
  constructor(given: ReadonlyMap<string, Given> = new Map()) {
    this.#given = given;
  }

  /** The values of settings, by the same names. */
  of<S extends Settings>(settings: S): ValuesOf<S> {
    const values = Object.entries(settings).map(([name, setting]) => {
      const given = this.#given.get(name);
      return [name, given === undefined ? setting.default : given.value];
    });
    // Each value has been parsed by its setting, or is its default.
    return Object.fromEntries(values) as ValuesOf<S>;
  }

  /** Whether a setting has been given, even if its default. */
  isGiven(name: string): boolean {
    return this.#given.has(name);
  }

  /** What has been given that is not the default, by environment variable; no secrets. */
  get changes(): Readonly<Record<string, string>> {
    const changed = [...this.#given].flatMap(([name, { setting, text, value }]) =>
      value === setting.default ? [] : [[variableOf(name), setting.isSecret ? 'set' : text]],
    );
    return Object.fromEntries(changed);
  }

  /** A setting as it was given, for messages: its flag, else its environment variable. */
  nameOf(name: string): string {
    return this.#given.get(name)?.source ?? variableOf(name);
  }
}
