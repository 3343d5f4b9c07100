/*
 * Compares the service with bare node:http, and with the same API on other frameworks. README.md
 * explains the comparison.
 */
import { parseArgs } from 'node:util';
import { footprints } from './http/footprint.ts';
import { growth } from './http/growth.ts';
import { RATE_KINDS, rates } from './http/rates.ts';
import { starts } from './http/start.ts';
import { pinSelf } from './lib/cores.ts';
import { requirePeers } from './lib/peers.ts';
import { machine, publish } from './lib/report.ts';

const { values: options } = parseArgs({
  options: {
    /** The parts to run, separated by commas: get, list, search, put, post, start, footprint, growth. */
    only: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    /** A file to insert the report into as well. */
    into: { type: 'string' },
  },
});

requirePeers();
pinSelf();
const only = options.only?.split(',');
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
const isWanted = (part: string) => only?.includes(part) ?? true;
const SIZES = [1_000, 10_000, 100_000];

const report = [`${machine()} ${rounds} rounds of ${seconds} s.`];
const kinds = RATE_KINDS.filter(isWanted);
if (kinds.length > 0) report.push(await rates(kinds, rounds, seconds));
if (isWanted('start')) report.push(await starts(rounds));
if (isWanted('footprint')) report.push(await footprints());
if (isWanted('growth')) report.push(await growth(SIZES, seconds));
publish('http', report.join('\n\n'), options.into);
