import { it } from 'node:test';
import { imageOf } from '../images/docker.ts';
import { buildOf, Example } from './example.ts';

it('testcontainers: the commands of its README pass in a new clone', {
  timeout: 180_000,
}, async () => {
  const example = await Example.clone('testcontainers');
  await example.run([buildOf('a'), 'npm ci && npm test'], {
    TODO_IMAGE: imageOf('a'),
    // Ryuk, which cleans up after killed tests, would need an image from a registry.
    TESTCONTAINERS_RYUK_DISABLED: 'true',
  });
  await example.end();
});
