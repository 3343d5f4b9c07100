import { parseArgs } from 'node:util';
import { didYouMean, nearest } from '../nearest.ts';
import { Config, type ParsedValue } from './config.ts';
import { ConfigError, type GivenValue, invalid, type Settings, variableOf } from './setting.ts';

/** The action that the command line requests. */
type Command =
  | { readonly name: 'serve'; readonly config: Config }
  | { readonly name: 'help' }
  | { readonly name: 'version' };

const SWITCHES = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;

/**
 * Parses the arguments of a program, and its environment. An empty variable counts as unset; an
 * empty value of a flag is a value.
 * @throws ConfigError for the first unknown argument, or else the first invalid value
 */
export function parseCommand(
  settings: Settings,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Command {
  const flags = parseFlags(settings, args, env);
  if (flags.has('help')) return { name: 'help' };
  if (flags.has('version')) return { name: 'version' };
  return { name: 'serve', config: parseEnvironment(settings, env, flags) };
}

/**
 * Parses an environment. An empty variable counts as unset.
 * @param flags the values of flags, which override variables
 * @throws ConfigError for the first invalid value
 */
export function parseEnvironment(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  flags: ReadonlyMap<string, string> = new Map(),
): Config {
  const given = new Map<string, GivenValue>();
  const imageDefaults = new Map<string, GivenValue>();
  for (const [name, setting] of Object.entries(settings)) {
    const flag = flags.get(flagOf(name));
    const variable = variableOf(name);
    const value = env[variable];
    if (flag !== undefined) given.set(name, { setting, source: `--${flagOf(name)}`, text: flag });
    else if (value) given.set(name, { setting, source: variable, text: value });
    const { imageVariable } = setting;
    const imageDefault = imageVariable && env[imageVariable];
    if (imageDefault) {
      imageDefaults.set(name, { setting, source: imageVariable, text: imageDefault });
    }
  }
  return new Config(parseAll(given), parseAll(imageDefaults));
}

function parseAll(given: ReadonlyMap<string, GivenValue>): ReadonlyMap<string, ParsedValue> {
  return new Map(
    [...given].map(([name, each]) => {
      const value = each.setting.parse(each.text);
      if (value === undefined) throw invalid(each);
      return [name, { ...each, value }];
    }),
  );
}

/** The flags given, with their values; the last value of a repeated flag wins. */
function parseFlags(
  settings: Settings,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ReadonlyMap<string, string> {
  // Returns early, because loading the parser takes 2 % of the start.
  if (args.length === 0) return new Map();
  const known = new Map(Object.entries(settings).map(([name, each]) => [flagOf(name), each]));
  const valued = Object.fromEntries(
    [...known].map(([flag]) => [flag, { type: 'string' }] as const),
  );
  const options = { ...valued, ...SWITCHES };
  // Some package managers pass on the `--` after which they take no flags themselves.
  const given = [...args.entries()].filter(([, arg]) => arg !== '--');
  const texts = given.map(([, arg]) => arg);
  const { tokens } = parseArgs({ args: texts, options, strict: false, tokens: true });
  const flags = new Map<string, string>();
  for (const token of tokens) {
    const option = token.kind === 'option' ? token : undefined;
    const isSwitch = option !== undefined && Object.hasOwn(SWITCHES, option.name);
    if (option === undefined || !(isSwitch || known.has(option.name))) {
      const [index, argument] = given[token.index] ?? [0, ''];
      const [flag = `argument ${index + 1}`] = /^--[a-z-]+(?==|$)/.exec(argument) ?? [];
      throw new ConfigError(`${flag} is unknown${hintOn(argument, settings, env)}`);
    }
    const { name, value } = option;
    if (isSwitch && value !== undefined) throw new ConfigError(`--${name} takes no value`);
    if (!isSwitch && value === undefined) {
      throw new ConfigError(`--${name} needs a value: ${known.get(name)?.allowed}`);
    }
    flags.set(name, value ?? '');
  }
  return flags;
}

/** The flag of a setting, without the leading dashes: `max-rows` for `maxRows`. */
function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, '-$&').toLowerCase();
}

/** Advice on the right argument. Omits the wrong one, which may be a misplaced secret. */
function hintOn(argument: string, settings: Settings, env: NodeJS.ProcessEnv): string {
  for (const [name, { argument: meant }] of Object.entries(settings)) {
    if (meant?.pattern.test(argument)) return `; type ${flagToType(name, meant.example, env)}`;
  }
  const [name = ''] = argument.replace(/^-+/, '').split('=', 1);
  const flags = [...Object.keys(settings).map(flagOf), ...Object.keys(SWITCHES)];
  const [longer, ...others] = flags.filter((flag) => flag.startsWith(`${name}-`));
  const similar = longer !== undefined && others.length === 0 ? longer : nearest(name, flags);
  return similar === undefined ? '; --help lists the flags' : didYouMean(`--${similar}`);
}

/** A flag with its value, as it is typed: `--port 9000`, or `npm start -- --port 9000`. */
export function flagToType(name: string, value: string, env: NodeJS.ProcessEnv): string {
  const start = env.npm_lifecycle_event === 'start' ? 'npm start -- ' : '';
  return `${start}--${flagOf(name)} ${value}`;
}

/** The output of `--help`. @param summary a short phrase for the purpose of the program */
export function helpText(name: string, summary: string, settings: Settings): string {
  const shown = Object.entries(settings).filter(([, { withdrawn }]) => withdrawn === undefined);
  const rows = shown.map(([setting, { description, defaultText }]) => [
    `--${flagOf(setting)}`,
    variableOf(setting),
    `${description} (default: ${defaultText})`,
  ]);
  rows.push(['--help, -h', '', 'print this help'], ['--version', '', 'print the version']);
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = [widthOf(0), widthOf(1)];
  const lines = rows.map(
    (row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`,
  );
  return `${name}: ${summary}

usage: ${name} [--flag value]...

Each flag overrides the environment variable beside it.

${lines.join('\n')}
`;
}
