export { pageBundle } from './bundle.ts';
export type { PageData, PageField, PageRoles } from './page-data.ts';
