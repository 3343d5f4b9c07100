export { JsonArray, longResponse } from './core/long-content.ts';
export type { ProblemType, Violation } from './core/problem.ts';
export { PROBLEM_MEDIA_TYPE, PROBLEMS, Problem } from './core/problem.ts';
export type { AcceptedContent, Handler, Middleware, Request, Route } from './core/request.ts';
export {
  type HeaderFields,
  JSON_MEDIA_TYPE,
  jsonResponse,
  mapResponse,
  NO_RESPONSE,
  NO_STORE,
  type Response,
  type StreamedContent,
  valueResponse,
  withHeaders,
} from './core/response.ts';
export { localPathOf, OUTSIDE, Query } from './core/target.ts';
export { uriReference } from './core/uri.ts';
export type { EventBatch } from './events/event-history.ts';
export { EventHub } from './events/event-hub.ts';
export {
  contentHash,
  IF_MATCH_PATTERN,
  isToken,
  qualityOf,
  splitList,
} from './request/field-values.ts';
export { fieldsOf, isPreflight } from './request/header-section.ts';
export { isMisdirected, type LocalHosts } from './request/host.ts';
export {
  JSON_MEDIA_TYPES,
  jsonArrayOf,
  jsonObjectOf,
  parseContent,
} from './request/json-content.ts';
export { checkPreconditions, isNotModified } from './request/preconditions.ts';
export { allowedMethods } from './routing/router.ts';
export { type RouteSet, Site } from './routing/site.ts';
export { isLoopback } from './server/loopback.ts';
export { HttpServer } from './server/server.ts';
export type { HttpSettings } from './server/settings.ts';
