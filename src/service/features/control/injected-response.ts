import {
  type Handler,
  isParts,
  NO_RESPONSE,
  NO_STORE,
  Problem,
  type Request,
  type Response,
} from '../../../lib/http/index.ts';
import { byteString } from '../../../lib/json/index.ts';
import { PROBLEM_TYPES, problemType } from '../../problem-types.ts';
import type { Fault } from './fault.ts';

export const INJECTED_FAULT = problemType('injected-fault', undefined, {
  'Cache-Control': 'Not to be stored, unless the fault has one of its own.',
});

/** Applies a fault to a request after its delay. Without `status`, the request is carried out. */
export async function respond(fault: Fault, request: Request, next: Handler): Promise<Response> {
  const { status, abort } = fault;
  if (abort === 'before') return NO_RESPONSE;
  if (abort === 'reset') return { ...NO_RESPONSE, isReset: true };
  const response =
    status === undefined ? await next(request) : injected(status, fault, request.path);
  if (abort === 'after') return withoutResponse(response, request.method);
  return abort === 'truncate' ? truncated(response, request.method) : response;
}

/** Statuses whose responses have no content (RFC 9110, section 6.4.1). */
export const WITHOUT_CONTENT: readonly number[] = [204, 205, 304];

function injected(status: number, { content, headers: given = {} }: Fault, path: string): Response {
  const response = withContent(status, content, path);
  const headers: Record<string, string> = { ...response.headers, ...NO_STORE };
  const repeatedHeaders: Record<string, readonly string[]> = {};
  let { mediaType } = response;
  for (const [anyCase, value] of Object.entries(given)) {
    const name = inUsualCase(anyCase);
    if (name === 'Content-Type') mediaType = undefined;
    if (typeof value === 'string') headers[name] = value;
    else {
      delete headers[name];
      repeatedHeaders[name] = value;
    }
  }
  const isRepeated = Object.keys(repeatedHeaders).length > 0;
  return { ...response, mediaType, headers, ...(isRepeated && { repeatedHeaders }) };
}

function withContent(status: number, content: string | undefined, path: string): Response {
  if (content !== undefined) {
    return { status, mediaType: 'text/plain; charset=utf-8', content: byteString(content) };
  }
  if (status === 204 || status === 304) return { status };
  if (status < 400) return { status, content: byteString('') };
  const detail = 'Injected by PUT /admin/faults; nothing was done';
  return new Problem(INJECTED_FAULT, detail, { status }).toResponse(path, PROBLEM_TYPES);
}

/** Writes a name as the service writes its own, so that a field replaces the service's field. */
function inUsualCase(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** Closes the connection without the response. An event stream ends after its first event. */
function withoutResponse(response: Response, method: string): Response {
  const { content } = response;
  if (typeof content !== 'function' || method === 'HEAD') return NO_RESPONSE;
  return {
    ...response,
    content: (writer) => {
      content(writer);
      writer.end();
    },
  };
}

function truncated(response: Response, method: string): Response {
  const { content } = response;
  const isWhole = typeof content === 'string' || Buffer.isBuffer(content);
  const hasBytes = isWhole ? content.length > 0 : isParts(content);
  const isSent = hasBytes && method !== 'HEAD';
  return isSent ? { ...response, isTruncated: true } : withoutResponse(response, method);
}
