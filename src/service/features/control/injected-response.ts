import {
  type Handler,
  NO_RESPONSE,
  NO_STORE,
  Problem,
  type Response,
} from '../../../lib/http/index.ts';
import { byteString } from '../../../lib/json/index.ts';
import { PROBLEM_TYPES, problemType } from '../../problem-types.ts';
import type { Fault } from './fault.ts';

export const INJECTED_FAULT = problemType('injected-fault', undefined, {
  'Cache-Control': 'Not to be stored, unless the fault has one of its own.',
});

/** Statuses whose responses have no content (RFC 9110, section 6.4.1). */
export const WITHOUT_CONTENT: readonly unknown[] = [204, 205, 304];

/** Responds with a status, instead of carrying out the request. */
export function withInjectedResponse(status: number, { content, headers = {} }: Fault): Handler {
  return ({ path }) => {
    const response = responseWith(status, content, path);
    const single: Record<string, string> = { ...response.headers, ...NO_STORE };
    const repeated: Record<string, readonly string[]> = {};
    let { mediaType } = response;
    for (const [anyCase, value] of Object.entries(headers)) {
      const name = inUsualCase(anyCase);
      if (name === 'Content-Type') mediaType = undefined;
      delete single[name];
      if (typeof value === 'string') single[name] = value;
      else repeated[name] = value;
    }
    const repeatedHeaders = Object.keys(repeated).length > 0 ? repeated : undefined;
    return { ...response, mediaType, headers: single, repeatedHeaders };
  };
}

function responseWith(status: number, content: string | undefined, path: string): Response {
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

/** Closes the connection before the response, or within its content. */
export function withAbort(abort: NonNullable<Fault['abort']>, next: Handler): Handler {
  return async (request) => {
    if (abort === 'before') return NO_RESPONSE;
    if (abort === 'reset') return { ...NO_RESPONSE, abort };
    const response = await next(request);
    const { content } = response;
    const hasContent = typeof content === 'function' || Boolean(content?.length);
    const isTruncated = abort === 'truncate' && request.method !== 'HEAD' && hasContent;
    return isTruncated ? { ...response, isTruncated } : NO_RESPONSE;
  };
}
