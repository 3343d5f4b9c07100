import { parseArgs } from 'node:util';
import { Config, type Given } from './config.ts';
import { ConfigError, type Setting, type Settings, variableOf } from './setting.ts';

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
