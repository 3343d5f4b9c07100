import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientFor } from '../../support/client.ts';
import { LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { LONG } from '../../unit/lib/table/support/random.ts';
import { COSTLY_CONDITIONS, COSTLY_QUERIES } from './costly.ts';
import { fill } from './fill.ts';
import { PRINTS_TURNS, turnsIn } from './turns.ts';

const ROWS = Number(process.env.ROWS ?? 1_000_000);

/** The longest acceptable turn of the event loop, in milliseconds, including garbage collection. */
const MAX_TURN_MS = 50;

it(`no query causes a long turn of the event loop with ${ROWS} items`, {
  skip: !LONG,
}, async (test) => {
  const env = { NODE_OPTIONS: PRINTS_TURNS, MAX_ROWS: String(ROWS + 1) };
  const service = new ServiceProcess(test, ['--port=0'], env);
  const baseUrl = await service.baseUrl();
  const client = clientFor(test, baseUrl);
  await fill(Number(new URL(baseUrl).port), ROWS);
  const tellTurns = async () => {
    service.signal('SIGUSR2');
    await sleep(100);
  };
  await sleep(5_000);
  const work = [
    ...COSTLY_QUERIES.map((query) => () => client.get(`${LIST}?${query}`)),
    ...COSTLY_CONDITIONS.map(
      (where) => () => client.get(`${LIST}?where=${encodeURIComponent(where)}`),
    ),
    () => client.get(LIST),
    () => client.post(LIST, { title: 'the first write after snapshots' }),
  ];
  const seconds: number[] = [];
  await tellTurns();
  for (const ask of work) {
    const start = performance.now();
    const { status } = await ask();
    assert(status === 200 || status === 201 || status === 400);
    seconds.push((performance.now() - start) / 1_000);
    await tellTurns();
  }
  service.signal('SIGTERM');
  const [filling = Number.NaN, ...longest] = turnsIn((await service.exit).stdout);
  test.diagnostic(`while filling: ${filling.toFixed(1)} ms`);
  for (const [i, ms] of longest.entries()) {
    const costly = [...COSTLY_QUERIES, ...COSTLY_CONDITIONS][i]?.slice(0, 60);
    const what = costly ?? (longest.length - i > 1 ? 'all' : 'a write');
    test.diagnostic(`${what}: ${ms.toFixed(1)} ms, done in ${seconds[i]?.toFixed(2)} s`);
  }
  assert(Math.max(...longest) < MAX_TURN_MS);
});
