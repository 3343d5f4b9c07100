export { pageBundle } from './bundle.ts';
