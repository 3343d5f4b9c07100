import type { Setting, Settings, ValuesOf } from './setting.ts';

/** A value that somebody has given a setting. */
export interface Given {
  /** The flag or the environment variable, as it is written. */
  readonly source: string;
  readonly text: string;
  readonly value: unknown;
}

/** The values of settings: those given, else their defaults. */
export class Config {
  readonly #given: ReadonlyMap<Setting<unknown>, Given>;

  /** @param given the values that differ from the defaults, or repeat them; each valid */
  constructor(given: ReadonlyMap<Setting<unknown>, Given> = new Map()) {
    this.#given = given;
  }

  /** The values of a table of settings, by the same names. */
  of<S extends Settings>(settings: S): ValuesOf<S> {
    const values = Object.entries(settings).map(([name, setting]) => {
      const given = this.#given.get(setting);
      return [name, given === undefined ? setting.default : given.value];
    });
    // Each value has been parsed by its setting, or is its default.
    return Object.fromEntries(values) as ValuesOf<S>;
  }

  /** Whether a setting has been given, even if its default. */
  isGiven(setting: Setting<unknown>): boolean {
    return this.#given.has(setting);
  }

  /** What has been given that is not the default, by environment variable; no secrets. */
  get changes(): Readonly<Record<string, string>> {
    const changed = [...this.#given].filter(([setting, { value }]) => value !== setting.default);
    return Object.fromEntries(
      changed.map(([{ variable, isSecret }, { text }]) => [variable, isSecret ? 'set' : text]),
    );
  }

  /** A setting as it was given, for messages: its flag, else its environment variable. */
  nameOf(setting: Setting<unknown>): string {
    return this.#given.get(setting)?.source ?? setting.variable;
  }
}
