import { build } from '../images/docker.ts';
import { testWithImages } from '../images/with-images.ts';
import { NGINX } from './example.ts';

// The replacement of nginx's image is kept: building it needs a network, and it has nothing of
// ours.
process.exitCode = await testWithImages(new URL('.', import.meta.url), () =>
  build(NGINX, [], 'test/system/examples/nginx'),
);
