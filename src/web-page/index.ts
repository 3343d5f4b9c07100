/** The door of this folder: what is at `/`. */
export { pageRoute } from './route.ts';
