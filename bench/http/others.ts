import { PEERS } from '../lib/peers.ts';
import type { Program } from '../lib/server.ts';
import { OURS } from './programs.ts';

/** The beginnings of the names of the peers to compare with; undefined for all. */
const wanted = process.env.BENCH_PEERS?.split(';');
const isWanted = ({ name }: Program) => wanted?.some((start) => name.startsWith(start)) ?? true;

/** The peer with items of both variants. */
export const FASTIFY: readonly Program[] = OURS.map(({ name, env }) => ({
  name: `Fastify, ${name}`,
  args: [`${PEERS}fastify.js`],
  env: { VARIANT: `${env?.VARIANT}` },
}));

/** The same API, written in the usual way for each framework. */
export const OTHERS: readonly Program[] = [
  ...FASTIFY,
  { name: 'Hono', args: [`${PEERS}hono.js`] },
  { name: 'Express', args: [`${PEERS}express.js`] },
  { name: 'json-server 0.17', args: [`${PEERS}json-server.js`] },
  { name: 'json-server 1.0 beta', args: [`${PEERS}json-server-1.js`] },
].filter(isWanted);
