import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rowOf } from '../lib/rows.ts';
import { scratch } from '../lib/scratch.ts';
import type { Program } from '../lib/server.ts';

/** The folder of the peers, which has its own package.json. */
const PEERS = fileURLToPath(new URL('../peers/', import.meta.url));

export const VARIANTS = ['A', 'B'] as const;
export type VariantName = (typeof VARIANTS)[number];

/** The number of items of each server. */
export const ROWS = 1_000;

/** The service as the images start it, with settings from the environment, and `ROWS` items. */
export function serviceOf(variant: VariantName, dist = 'dist', version = ''): Program {
  const env = { VARIANT: variant.toLowerCase(), HOST: '*', MAX_ROWS: '10000000' };
  const program = { name: `${version} ${variant}`.trim(), args: [`${dist}/main.js`], env };
  return withRows(program, ROWS);
}

/** A program with the rows 1 to `count`: the service with a seed, a peer with one JSON text a line. */
export function withRows(program: Program, count: number): Program {
  const rows = Array.from({ length: count }, (_, i) => {
    const { title, description, priority } = rowOf(i + 1);
    return JSON.stringify({ title, description, priority });
  });
  const seed = program.args[0]?.startsWith(PEERS)
    ? { SEED: scratch(`rows-${count}.ndjson`, rows.join('\n')) }
    : { SEED_FILE: scratch(`rows-${count}.json`, `[${rows.join()}]`) };
  return { ...program, env: { ...program.env, ...seed } };
}

/** A program that starts without items. */
export function withoutRows(program: Program): Program {
  const { SEED: _, SEED_FILE: __, ...env } = program.env ?? {};
  return { ...program, env };
}

/** The same program, used at its list `x`. */
export function namedListOf(program: Program): Program {
  const env = { ...program.env, LISTS: 'x' };
  return { ...program, name: 'list x', env, prefix: '/lists/x' };
}

/** Whether a program has a setting. */
export function hasSetting({ args }: Program, flag: string): boolean {
  return execFileSync(process.execPath, [...args, '--help'], { encoding: 'utf8' }).includes(flag);
}

/** The same requests in a loop of one's own, with items of variant A. */
export function loop(): Program {
  return withRows({ name: 'loop', args: [`${PEERS}loop.js`] }, ROWS);
}

/** The same API in the usual way for other frameworks. Those without a variant have items of A. */
export function peers(): readonly Program[] {
  if (!existsSync(`${PEERS}node_modules`)) {
    throw new Error('the peers are not installed: npm ci --prefix bench/peers');
  }
  const programs = [
    ...VARIANTS.map((variant) => ({
      name: `Fastify ${variant}`,
      args: [`${PEERS}fastify.js`],
      env: { VARIANT: variant.toLowerCase() },
    })),
    { name: 'Hono', args: [`${PEERS}hono.js`] },
    { name: 'Express', args: [`${PEERS}express.js`] },
    { name: 'json-server 0.17', args: [`${PEERS}json-server.js`] },
    { name: 'json-server 1.0 beta', args: [`${PEERS}json-server-1.js`] },
  ];
  return programs.map((program) => withRows(program, ROWS));
}

/** Content and header fields of a response. */
export interface Answer {
  readonly file: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Bare `node:http` with constant responses by kind of request. */
export function bareNodeHttp(
  name: string,
  answers: Readonly<Record<string, Answer>> = {},
): Program {
  return { name, args: [`${PEERS}floor.cjs`], env: { ANSWERS: JSON.stringify(answers) } };
}
