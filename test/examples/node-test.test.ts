import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ROOT } from '../images/docker.ts';
import { copyOf, runIn } from './example.ts';

it('node-test: its tests pass with the package of this repository', async (test) => {
  const folder = copyOf(test, 'node-test');
  const file = (await runIn(folder, ['npm', 'pack', '--silent', ROOT])).trim();
  assert.match(file, /^todo-service-[\d.]+\.tgz$/);
  await runIn(folder, ['npm', 'install', '--silent', '--save-dev', `./${file}`]);
  await runIn(folder, ['npm', 'test']);
});
