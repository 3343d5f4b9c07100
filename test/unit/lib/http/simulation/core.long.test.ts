import { it } from 'node:test';
import { SEED } from '../../table/support/random.ts';
import { playEvents } from './support/play.ts';

it(`a million events of connections (seed ${SEED}) break no rule`, { timeout: 60_000 }, () => {
  playEvents(1_000_000, SEED);
});
