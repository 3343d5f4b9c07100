import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '../../support/client.ts';
import { WAYS_IN } from '../../support/readme.ts';
import { until } from '../../support/until.ts';
import { composePrograms } from './compose.ts';
import { answers, ORIGIN, run, TAG } from './docker.ts';

const present = await composePrograms();

describe('docker-compose.yml', () => {
  it('is tested with at least one compose program', () =>
    assert.notEqual(present.length, 0, 'none found'));

  for (const [command, ...args] of present) {
    describe(`with ${[command, ...args].join(' ')}`, () => {
      const env = { TAG, ...ORIGIN, PORT_A: '0', PORT_B: '0', TZ: 'Asia/Tokyo' };
      const compose = (...more: string[]) =>
        run(command, [...args, '--project-name', `todo-service-${TAG}`, ...more], env);

      before(async () => {
        const shown = WAYS_IN.images.replace('docker compose ', '').split(' ');
        const { status, stderr } = await compose(...shown, '--detach');
        assert.equal(status, 0, stderr);
      });
      after(() => compose('--profile', 'client', 'down', '--volumes'));

      it('serves variant A and variant B', async () => {
        for (const variant of ['a', 'b']) {
          const { stdout } = await compose('port', `service-${variant}`, '8080');
          const baseUrl = `http://${stdout.trim().replace('0.0.0.0', '127.0.0.1')}`;
          await until('it answers', () => answers(`${baseUrl}/readyz`));
          const client = new Client(baseUrl);
          const todo = (await client.post('/api/todos', { title: 'composed' })).json();
          assert.equal(todo.createdAt !== undefined, variant === 'b');
          await client.close();
        }
      });

      it('starts its client once both are healthy', { timeout: 60_000 }, async () => {
        const { status, stdout, stderr } = await compose(
          ...['--profile', 'client', 'up', '--no-build', '--exit-code-from', 'client'],
        );
        assert.equal(status, 0, stderr);
        for (const service of ['service-a', 'service-b'])
          assert.match(stdout, new RegExp(`${service} 201 \\{"id":`));
      });
    });
  }
});
