export { pageRoute } from './route.ts';
