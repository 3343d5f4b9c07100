import { testWithImages } from './with-images.ts';

process.exitCode = await testWithImages(new URL('.', import.meta.url));
