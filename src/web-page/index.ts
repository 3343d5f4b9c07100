export { pageBundle } from './bundle.ts';
export type { PageData, PageField, PageItems, PageRoles } from './page-data.ts';
