export {
  PROBLEM_MEDIA_TYPE,
  PROBLEMS,
  Problem,
  type ProblemCode,
  type ProblemType,
  problemTypeOf,
  quoted,
  shown,
  VIOLATION_CODES,
  type Violation,
  type ViolationCode,
} from './core/problem.ts';
export type { Handler, Middleware, Request } from './core/request.ts';
export {
  type Delivery,
  type HeaderFields,
  JSON_MEDIA_TYPE,
  JsonArray,
  jsonResponse,
  type LiveContent,
  mapResponse,
  NO_RESPONSE,
  type Response,
  type StreamWriter,
  valueResponse,
  withHeaders,
  withVary,
} from './core/response.ts';
export { localPathOf, Query } from './core/target.ts';
export { uriReference } from './core/uri.ts';
export type { CommitEvents, EventBacklog, EventBatch } from './events/event-history.ts';
export { EventHub, type EventHubLimits } from './events/event-hub.ts';
export { contentHash, isOneOf, preference, qualityOf, splitList } from './request/field-values.ts';
export { acceptFieldOf, fieldsOf, isPreflight } from './request/header-section.ts';
export { JSON_MEDIA_TYPES, jsonArrayOf, jsonObjectOf, parsed } from './request/json-content.ts';
export { checkPreconditions, isNotModified, preconditionFailed } from './request/preconditions.ts';
export { healthRoutes } from './routing/health.ts';
export {
  ABOUT,
  type Argument,
  CERTAIN_FIELDS,
  type DescribedRoute,
  describedRoute,
  type FieldDescriptions,
  NO_STORE,
  NO_STORE_FIELD,
  OPERATIONS,
  type Operation,
  type ParameterDescription,
  queryParameter,
  RESPONSE_FIELDS,
  type RequestContent,
  type ResponseDescription,
  readConditions,
  type Tag,
  writeConditions,
} from './routing/operation.ts';
export { Scheduler } from './server/connection/scheduler.ts';
export { HttpServer } from './server/server.ts';
export type { HttpSettings } from './server/settings.ts';
