export { PERMIT_BYTES, PLACE_BYTES } from './admission/admission.ts';
export type { EventBatch } from './events/event-history.ts';
export { EventHub } from './events/event-hub.ts';
export { JsonArray, LongText, longResponse } from './messages/long-content.ts';
export type { ParameterError, ProblemOptions, ProblemType, Violation } from './messages/problem.ts';
export { overloaded, PROBLEM_MEDIA_TYPE, PROBLEMS, Problem } from './messages/problem.ts';
export type {
  AcceptedContent,
  Handler,
  Interceptor,
  Request,
  RequestHead,
  Route,
} from './messages/request.ts';
export {
  type ContentParts,
  type HeaderFields,
  JSON_MEDIA_TYPE,
  jsonResponse,
  NO_RESPONSE,
  NO_STORE,
  type Response,
  type StreamedContent,
  valueResponse,
  withHeaders,
} from './messages/response.ts';
export {
  isWithin,
  localPathOf,
  MAX_PARAMETERS,
  OUTSIDE,
  Query,
  queryOf,
} from './messages/target.ts';
export { uriReference } from './messages/uri.ts';
export {
  IF_MATCH_PATTERN,
  isToken,
  qualityOf,
  splitList,
  tagHashOf,
} from './request/field-values.ts';
export { fieldsOf, isPreflight, isRefusedEarly } from './request/header-section.ts';
export type { LocalHosts } from './request/host.ts';
export {
  JSON_MEDIA_TYPES,
  jsonArrayOf,
  jsonObjectOf,
  parseContent,
} from './request/json-content.ts';
export {
  checkPreconditions,
  isNotModified,
  isReadMethod,
  withReadPreconditions,
} from './request/preconditions.ts';
export { Router, type Site } from './routing/router.ts';
export type { HttpSettings } from './server/http-settings.ts';
export { isLoopback } from './server/loopback.ts';
export type { ReasonCounter } from './server/reason-counter.ts';
export { HttpServer } from './server/server.ts';
export type { RequestHooks, Service } from './server/service.ts';
