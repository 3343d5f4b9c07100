import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clientFor } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import { composePrograms } from '../images/compose.ts';
import { answers } from '../images/docker.ts';
import { buildOf, Example, Stack } from './example.ts';

for (const program of await composePrograms()) {
  it(`compose: a page and both variants behind nginx, with ${program.join(' ')}`, async (test) => {
    const example = await Example.clone('compose');
    const stack = new Stack(test, example, 'compose', program);
    const up = ['docker compose up', `${program.join(' ')} up --detach`] as const;
    await example.run([buildOf('a'), buildOf('b'), up], stack.env);
    await example.end();
    const url = await stack.urlOf('gateway', 80);
    await until('nginx answers', () => answers(url));
    const client = clientFor(test, url);

    const page = await client.get('/');
    assert.match(page.text, /EventSource\('\/api\/todos\/events'\)/);
    // nginx starts only once both are healthy, so requests succeed at once.
    for (const [prefix, hasDate] of [
      ['', false],
      ['/b', true],
    ] as const) {
      const created = await client.post(`${prefix}/api/todos`, { title: 'composed' });
      assert.equal(created.status, 201);
      assert.equal('createdAt' in created.json(), hasDate);
      assert.match(String(created.headers['x-request-id']), /^[0-9a-f]{32}$/);
      const location = String(created.headers.location);
      assert.equal(location, `${prefix}/api/todos/1`);
      assert.equal((await client.get(location)).text, created.text);
    }

    for (let i = 0; i < 200; i++) assert.equal((await client.get('/api/todos/1')).status, 200);
    const events = await fetch(`${url}/api/todos/events`);
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    assert.match(first?.value ?? '', /event: ready/, 'nginx passes events on at once');
    await reader?.cancel();
  });
}

it('compose: at least one compose program is installed', async () => {
  assert.notEqual((await composePrograms()).length, 0);
});
