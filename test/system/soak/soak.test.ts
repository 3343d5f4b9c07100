import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUTHORIZED, TOKEN } from '../../support/admin.ts';
import { clientFor } from '../../support/client.ts';
import { LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { Random, SEED } from '../../support/random.ts';
import * as acts from './clients.ts';
import { ListView } from './list-view.ts';
import { type Memory, memoryIn, PRINTS_MEMORY } from './memory.ts';
import { Writes } from './writes.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 5);

/** How long the clients of a round act, in milliseconds. */
const ROUND_MS = 3_000;

/** The items at the base when a round begins. The events of a write to many of them are not kept. */
const SMALL = 1_500;
const LARGE = 6_000;

/** The items of a list with a name: the events of a write to all of them are not kept. */
const NAMED = 150;

/** The heap of the service, in MiB. With more, there are fewer refusals. */
const HEAP = Number(process.env.SOAK_HEAP ?? 64);

/** What V8 chooses in a container of 128 MiB, in MiB, so that as much is left for items as there. */
const SEMI_SPACE = 2;

/*
 * Everything at once, in rounds. In each, clients use three lists, as SEED decides. Then all that they
 * have seen is compared: one sequence of commits must explain each event, list and response.
 */
it(`for ${MINUTES} minutes, everything at once has outcomes that are allowed`, async (test) => {
  test.diagnostic(`SEED=${SEED}`);
  const service = new ServiceProcess(test, ['--port=0', '--variant=b'], {
    ADMIN_TOKEN: TOKEN,
    NODE_OPTIONS: `--max-old-space-size=${HEAP} --max-semi-space-size=${SEMI_SPACE} ${PRINTS_MEMORY.NODE_OPTIONS}`,
  });
  const baseUrl = await service.baseUrl();
  const client = clientFor(test, baseUrl);
  const port = Number(new URL(baseUrl).port);
  const outcomes = new Map<string, number>();
  const end = performance.now() + MINUTES * 60_000;
  for (let number = 0; performance.now() < end; number++) {
    const violations: string[] = [];
    const writes = new Writes(violations);
    const round = { client, port, writes, violations, outcomes, isOn: true };
    const random = new Random(SEED + number);
    const [base, anna, ben] = ['', '/lists/anna', '/lists/ben'].map(
      (path) => new ListView(path, client, writes, violations),
    );
    assert(base && anna && ben);
    const isLarge = number % 3 === 0;
    for (const [list, items] of [
      [anna, NAMED],
      [ben, 0],
    ] as const) {
      const made = await client.put(`/admin${list.path}`, acts.itemsOfSeed(items), AUTHORIZED);
      assert(made.status === 200 || made.status === 201, made.text);
    }
    assert(await acts.reset(round, base, '/admin/reset', isLarge ? LARGE : SMALL));
    const views = [base, anna, ben];
    const ends = await Promise.all(views.map((view) => view.follow(baseUrl)));
    const on = (list: ListView, ...some: acts.Act[]) =>
      some.map((act) => act(round, list, new Random(random.below(2 ** 31))));
    const { writesItems, patchesMany, patchesAtOnce, patchesInOrder, createsMany } = acts;
    const { readsList, searches, readsSlowly, readsNothing, disappears, meetsFaults } = acts;
    const acting = [
      ...on(base, writesItems, writesItems, writesItems, writesItems, createsMany, patchesInOrder),
      ...on(base, readsList, readsList, searches, readsSlowly, readsNothing, disappears),
      ...on(base, isLarge ? patchesAtOnce : patchesMany, meetsFaults),
      ...(number % 3 === 2 ? on(base, acts.resets) : []),
      ...on(anna, writesItems, createsMany, readsList, patchesMany, disappears, meetsFaults),
      ...on(ben, writesItems, createsMany, readsList, acts.resets, acts.makesLists),
    ];
    await sleep(ROUND_MS);
    round.isOn = false;
    await Promise.all(acting);
    for (const view of views) await settle(round, view);
    for (const view of views) await view.check();
    for (const close of ends) close();
    const found = [...new Set(violations)];
    if (found.length > 0) {
      const { text } = await client.get('/metrics');
      const refusals = text.match(/^todo_(requests_refused|connections_cut)_total.* [1-9].*$/gm);
      test.diagnostic(String(refusals));
    }
    assert.deepEqual(found.slice(0, 20), [], `SEED=${SEED}, round ${number}: ${found.length}`);
    assert(await acts.reset(round, base, '/admin/reset', 0));
    service.signal('SIGUSR2');
  }
  for (const [kind, count] of [...outcomes].sort()) test.diagnostic(`${kind}: ${count}`);
  service.signal('SIGTERM');
  const { status, stdout } = await service.exit;
  assert.equal(status, 0);
  assert.doesNotMatch(stdout, /"level":"error"/);
  const memory = memoryIn(stdout);
  for (const part of ['heap', 'resident'] as const) {
    test.diagnostic(`${part}, MiB: ${memory.map((at) => at[part]).join(' ')}`);
    if (MINUTES >= 5) assertLevel(memory, part);
  }
});

/** Waits until requests of clients that have gone are over, and the list's events have arrived. */
async function settle(round: acts.Round, view: ListView): Promise<void> {
  const { client } = round;
  // It waits for its turn behind other writes to several items.
  while ((await client.delete(`${view.path}${LIST}?id.lt=1`)).status !== 200) await sleep(50);
  await view.catchUp();
}

/**
 * Asserts that the last quarter uses hardly more memory than the second; start-up effects are over
 * by then.
 */
function assertLevel(memory: readonly Memory[], part: keyof Memory): void {
  const quarter = memory.length / 4;
  const mean = (from: number, to: number) => {
    const values = memory.slice(from, to).map((at) => at[part]);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const second = mean(quarter, 2 * quarter);
  const last = mean(3 * quarter, memory.length);
  assert(
    last <= second * 1.1 + 5,
    `${part}: ${second} MiB in the second quarter, ${last} in the last`,
  );
}
