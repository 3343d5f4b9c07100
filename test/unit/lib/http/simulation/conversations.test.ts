import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clock } from '../../../../../src/lib/clock.ts';
import type { Middleware } from '../../../../../src/lib/http/core/request.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { Random } from '../../table/support/random.ts';
import { World } from './support/world.ts';

const SEED = Number(process.env.SEED ?? Math.floor(clock.time()) % 2 ** 32);

async function play(rounds: number, seed: number, middleware: readonly Middleware[] = []) {
  const world = new World(new Random(seed));
  await world.start(middleware);
  try {
    for (let round = 0; round < rounds; round++) await world.play(25, `${round}`);
    await world.end();
  } finally {
    await world.server.drain(0);
  }
}

/** Stops servers at any moment, each amid conversations. */
async function stop(times: number, seed: number) {
  for (let i = 0; i < times; i++) {
    const world = new World(new Random(seed + i));
    await world.start();
    await world.stopAmid(15, `${i}`);
  }
}

describe('conversations of clients of all kinds', () => {
  it(`100 of them (seed ${SEED}): each request is answered once and in order`, () => play(4, SEED));

  it(`75 of them (seed ${SEED}) with servers that stop: nothing is left open`, () => stop(5, SEED));

  it('the simulation detects a repeated response', async () => {
    let last = byteString('');
    const stale: Middleware = (next) => (request) => {
      const response = next(request);
      if (response instanceof Promise || typeof response.content !== 'string') return response;
      const before = last;
      last = response.content;
      return before === '' ? response : { ...response, content: before };
    };
    await assert.rejects(play(4, SEED, [stale]));
  });
});
