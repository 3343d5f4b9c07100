import {
  type Delivery,
  type Handler,
  type HeaderFields,
  NO_RESPONSE,
  NO_STORE,
  Problem,
  type Request,
  type Response,
  withHeaders,
} from '../../../lib/http/index.ts';
import { byteString } from '../../../lib/json/index.ts';
import type { Waits } from '../../../lib/waits.ts';
import { PROBLEM_TYPES, problemType } from '../../problem-types.ts';
import type { Fault } from './fault.ts';

export const INJECTED_FAULT = problemType('injected-fault', undefined, {
  'Cache-Control': 'Not to be stored, unless the fault has one of its own.',
});

/** Responds as a fault has it; without an outcome, the request is carried out. */
export async function respond(fault: Fault, request: Request, next: Handler): Promise<Response> {
  const { status, abort } = fault;
  if (abort === 'before') return NO_RESPONSE;
  if (abort === 'reset') return { ...NO_RESPONSE, isReset: true };
  const response =
    status === undefined ? await next(request) : injected(status, fault, request.path);
  if (abort === 'after') return lost(response, request.method);
  return abort === 'truncate' ? truncated(response, request.method) : response;
}

/** Statuses whose responses have no content (RFC 9110, section 6.4.1). */
export const WITHOUT_CONTENT: readonly unknown[] = [204, 205, 304];

function injected(status: number, { content, headers }: Fault, path: string): Response {
  const { 'Content-Type': type, ...others } = inUsualCase(headers);
  const response = withContent(status, content, path);
  const mediaType = type ?? response.mediaType;
  return withHeaders({ ...response, mediaType }, { ...NO_STORE, ...others });
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

/** Names fields as the service names its own, so that no field is sent twice in two cases. */
function inUsualCase(headers: HeaderFields = {}): HeaderFields {
  const usual = Object.entries(headers).map(([name, value]) => {
    const lowerCase = name.toLowerCase();
    return [lowerCase.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase()), value] as const;
  });
  return Object.fromEntries(usual);
}

/** A response that its client never gets; a stream ends after its first event. */
function lost(response: Response, method: string): Response {
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
  const { content, steps } = response;
  const hasBytes = typeof content === 'string' || Buffer.isBuffer(content);
  const isSent = hasBytes && method !== 'HEAD' && (content.length > 0 || steps !== undefined);
  return isSent ? { ...response, delivery: { isTruncated: true } } : lost(response, method);
}

/** How far apart writes at a rate are, in milliseconds, unless that is less than a byte. */
const WRITE_MS = 100;

/** Lets content through at a rate in bytes per second, until waits end. */
export function atRate(bytesPerSecond: number, waits: Waits): Required<Pick<Delivery, 'next'>> {
  const intervalMs = Math.max(WRITE_MS, 1000 / bytesPerSecond);
  const bytesPerWrite = Math.min((bytesPerSecond * intervalMs) / 1000, Number.MAX_SAFE_INTEGER);
  let writes = 0;
  let sent = 0;
  return {
    next: async (bytesLeft) => {
      await waits.sleep(intervalMs);
      if (waits.hasEnded) return bytesLeft;
      const due = Math.max(1, Math.round(bytesPerWrite * ++writes) - sent);
      sent += due;
      return Math.min(due, bytesLeft);
    },
  };
}
