import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientFor } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import { composePrograms } from '../images/compose.ts';
import { answers } from '../images/docker.ts';
import { buildOf, Example, Stack } from './example.ts';

const CLIENTS = 24;

for (const program of await composePrograms()) {
  const name = program.join(' ');
  it(`rolling-restart: no request fails, with ${name}`, async (test) => {
    const example = await Example.clone('rolling-restart');
    const stack = new Stack(test, example, 'rolling-restart', program);
    const up = 'docker compose up --detach';
    await example.run([buildOf('a'), [up, `${name} up --detach`]], stack.env);
    const url = await stack.urlOf('gateway', 80);
    await until('a replica answers', () => answers(`${url}/readyz`));
    const client = clientFor(test, url);
    await client.post('/api/todos', { title: 'made before the restart' });
    await client.post('/api/todos', { title: 'made before the restart' });

    let isOver = false;
    const statuses = new Map<string, number>();
    const work = async (_: unknown, index: number) => {
      for (let i = 0; !isOver; i++) {
        const request = i % 2 === 0 ? 'GET' : 'POST';
        const { status } = await (request === 'GET'
          ? client.get('/api/todos?limit=3')
          : client.post('/api/todos', { title: 'x' }));
        const key = `${request} ${status}`;
        statuses.set(key, (statuses.get(key) ?? 0) + 1);
        // Some clients send requests without a pause; others leave nginx's connections idle.
        if (index % 3 === 0) await sleep(1_500 * Math.random());
      }
    };
    const load = Promise.all(Array.from({ length: CLIENTS }, work));
    await example.run(['./restart.sh'], { ...stack.env, COMPOSE: name });
    await example.end();
    isOver = true;
    await load;
    test.diagnostic(JSON.stringify(Object.fromEntries(statuses)));
    assert.deepEqual([...statuses.keys()].toSorted(), ['GET 200', 'POST 201']);
    const { text } = await client.get('/api/todos?title=made%20before%20the%20restart');
    assert.equal(text, '[]', 'both replicas were replaced');
  });
}
