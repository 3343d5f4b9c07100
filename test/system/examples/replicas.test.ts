import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientFor } from '../../support/client.ts';
import { composePrograms } from '../images/compose.ts';
import { buildOf, ETCD, Example, Stack } from './example.ts';

const compose = (await composePrograms()).find(([, plugin]) => plugin === 'compose');
const skip = compose === undefined && 'Compose v2 is not installed';

it('replicas: the list survives a restart of each replica, and no request fails', {
  skip,
}, async (test) => {
  const example = await Example.clone('replicas');
  const stack = new Stack(test, example, 'replicas', compose ?? assert.fail());
  const env = { ...stack.env, ETCD_IMAGE: ETCD };
  await example.run([buildOf('a'), 'docker compose up --detach --wait'], env);
  const client = clientFor(test, await stack.urlOf('balancer', 80));
  await client.post('/api/todos', { title: 'made before the restart' });

  let isOver = false;
  const statuses: number[] = [];
  const load = (async () => {
    while (!isOver) {
      statuses.push((await client.get('/api/todos')).status);
      statuses.push((await client.post('/api/todos', { title: 'x' })).status);
      await sleep(20);
    }
  })();
  const restart =
    'for n in 1 2 3; do docker compose up --detach --force-recreate --no-deps --wait replica-$n; done';
  await example.run([restart], env);
  isOver = true;
  await load;
  assert.deepEqual([...new Set(statuses)].toSorted(), [200, 201]);
  const { text } = await client.get('/api/todos?title=made%20before%20the%20restart');
  assert.match(text, /"id":1,/);
  await example.end();
});
