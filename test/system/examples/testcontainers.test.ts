import { it } from 'node:test';
import { imageOf } from '../images/docker.ts';
import { copyOf, runIn } from './example.ts';

it('testcontainers: its tests pass', { timeout: 180_000 }, async () => {
  const folder = copyOf('testcontainers');
  await runIn(folder, ['npm', 'ci', '--silent', '--ignore-scripts']);
  await runIn(folder, ['npm', 'test'], {
    TODO_IMAGE: imageOf('a'),
    // Ryuk, which cleans up after killed tests, would need an image from a registry.
    TESTCONTAINERS_RYUK_DISABLED: 'true',
  });
});
