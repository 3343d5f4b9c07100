import { build } from '../images/docker.ts';
import { testWithImages } from '../images/with-images.ts';
import { ETCD, NGINX } from './example.ts';

// The replacements of the images of nginx and etcd are kept: building them needs a network, and they
// contain no file of this project.
process.exitCode = await testWithImages(new URL('.', import.meta.url), async () => {
  await build(NGINX, [], 'test/system/examples/nginx');
  await build(ETCD, [], 'test/system/examples/etcd');
});
