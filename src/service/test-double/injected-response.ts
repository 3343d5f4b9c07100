import {
  jsonResponse,
  NO_STORE,
  Problem,
  type Request,
  type Response,
} from '../../lib/http/index.ts';
import { byteString, exactJsonText } from '../../lib/json/index.ts';
import { PROBLEM_TYPES, problemType } from '../problem-types.ts';
import type { Fault } from './fault.ts';

const INJECTED_FAULT = problemType('injected-fault');

/** The response of a fault. Names of header fields are sent as they are written in the fault. */
export function injectedResponse(
  status: number,
  { headers = {}, content }: Pick<Fault, 'headers' | 'content'>,
  { path, knownId }: Request,
): Response {
  const response = responseWith(status, content, path);
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  // `X-Request-Id` echoes the id that the client has sent.
  const kept = Object.entries(headers).filter(
    ([name]) => knownId === undefined || name.toLowerCase() !== 'x-request-id',
  );
  return {
    ...response,
    ...(names.has('content-type') && { mediaType: undefined }),
    headers: names.has('cache-control') ? {} : NO_STORE,
    ...(kept.length > 0 && {
      repeatedHeaders: Object.fromEntries(kept.map(([name, value]) => [name, [value].flat()])),
    }),
  };
}

function responseWith(status: number, content: unknown, path: string): Response {
  if (typeof content === 'string') {
    return { status, mediaType: 'text/plain; charset=utf-8', content: byteString(content) };
  }
  const json = content === undefined ? undefined : exactJsonText(content);
  if (json !== undefined) return jsonResponse(status, byteString(json));
  if (status === 204 || status === 304) return { status };
  if (status < 400) return { status, content: byteString('') };
  const detail = 'Injected by a fault; nothing was done';
  return new Problem(INJECTED_FAULT, detail, { status }).toResponse(path, PROBLEM_TYPES);
}
