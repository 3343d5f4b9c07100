import { parseArgs } from 'node:util';
import { ConfigError, type Setting, type Settings, type ValuesOf, variableOf } from './setting.ts';

/** A value that somebody has given a setting. */
interface Given {
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

/** What the command line asks the program to do. */
export type Command =
  | { readonly name: 'serve'; readonly config: Config }
  | { readonly name: 'help' }
  | { readonly name: 'version' };

/** Flags without a value. */
const SWITCHES = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;

/** @throws ConfigError for the first unknown flag or argument, or else the first invalid value */
export function parseCommand(
  settings: Settings,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Command {
  const flags = parseFlags(settings, args);
  if (flags.has('help')) return { name: 'help' };
  if (flags.has('version')) return { name: 'version' };
  const given = new Map<string, Given>();
  for (const [name, setting] of Object.entries(settings)) {
    const flag = flags.get(flagOf(name));
    const text = flag ?? env[variableOf(name)];
    if (text === undefined) continue;
    const source = flag === undefined ? variableOf(name) : `--${flagOf(name)}`;
    given.set(name, { setting, source, text, value: parseValue(setting, source, text) });
  }
  return { name: 'serve', config: new Config(given) };
}

function parseValue<T>(setting: Setting<T>, source: string, text: string): T {
  const value = setting.parse(text);
  if (value !== undefined) return value;
  const hint = setting.hint?.(text);
  const found = setting.isSecret ? '' : `, not ${JSON.stringify(text)}`;
  const sentence = `${source} must be ${setting.allowed}${found}`;
  throw new ConfigError(hint === undefined ? sentence : `${sentence}; ${hint}`);
}

/** The flags given, with their values; the last value of a repeated flag wins. */
function parseFlags(settings: Settings, args: readonly string[]): ReadonlyMap<string, string> {
  // Loading the parser takes a fiftieth of the start.
  if (args.length === 0) return new Map();
  const known = Object.keys(settings).map(flagOf);
  const valued = Object.fromEntries(known.map((name) => [name, { type: 'string' }] as const));
  const options = { ...valued, ...SWITCHES };
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const flags = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw unknown(`argument ${JSON.stringify(token.value)}`);
    const { name, rawName, value } = token;
    const isSwitch = Object.hasOwn(SWITCHES, name);
    if (!isSwitch && !known.includes(name)) throw unknown(`flag ${JSON.stringify(rawName)}`);
    if (isSwitch && value !== undefined) throw new ConfigError(`--${name} takes no value`);
    if (!isSwitch && value === undefined) throw new ConfigError(`--${name} needs a value`);
    flags.set(name, value ?? '');
  }
  return flags;
}

/** The flag of a setting, without dashes: `max-rows` of `maxRows`. */
function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, '-$&').toLowerCase();
}

function unknown(what: string): ConfigError {
  return new ConfigError(`unknown ${what}; --help lists the flags`);
}

/** The text that `--help` prints. */
export function helpText(settings: Settings): string {
  const rows = Object.entries(settings).map(([name, { description, defaultText }]) => [
    `--${flagOf(name)}`,
    variableOf(name),
    `${description} (default: ${defaultText})`,
  ]);
  rows.push(['--help, -h', '', 'print this help'], ['--version', '', 'print the version']);
  const lines = rows.map(
    ([flag = '', variable = '', text]) => `  ${flag.padEnd(20)} ${variable.padEnd(18)} ${text}`,
  );
  return `todo-service: a to-do list over HTTP that keeps its items in memory or in etcd

usage: todo-service [--flag value]...

Each flag overrides the environment variable beside it.

${lines.join('\n')}
`;
}
