import { builtPeers, PEERS } from '../lib/peers.ts';
import type { Program } from '../lib/server.ts';

/** The names of the peers to compare with; undefined for all. */
const wanted = process.env.BENCH_PEERS?.split(',');
const isWanted = ({ name }: Program) => wanted?.includes(name) ?? true;

/** The same API, written in the usual way for each framework. */
export const OTHERS: readonly Program[] = [
  { name: 'Fastify', args: [`${PEERS}fastify.js`] },
  { name: 'Hono', args: [`${PEERS}hono.js`] },
  { name: 'Express', args: [`${PEERS}express.js`] },
  { name: 'json-server', args: [`${PEERS}json-server.js`] },
  ...builtPeers(isWanted),
].filter(isWanted);
