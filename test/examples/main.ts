import { build } from '../images/docker.ts';
import { testWithImages } from '../images/with-images.ts';
import { NGINX } from './example.ts';

// The stand-in for nginx stays: it is made with a network, and nothing of ours is in it.
process.exitCode = await testWithImages(new URL('.', import.meta.url), () =>
  build(NGINX, [], 'test/examples/nginx'),
);
