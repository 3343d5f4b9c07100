import {
  type HeaderFields,
  jsonResponse,
  NO_STORE,
  type Response,
  withHeaders,
} from '../../lib/http/index.ts';
import { byteString } from '../../lib/json/index.ts';
import { PROBLEM_TYPE_PREFIX, serviceProblem } from '../problem-types.ts';
import type { Fault } from './fault.ts';

/** Fields of a response whose type a fault has set, so that it cannot act as a page of the service. */
const SANDBOX: HeaderFields = {
  'Content-Security-Policy': 'sandbox',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * The response that a fault injects, before {@link withFaultFields}.
 * @param content JSON text; null is the value null, and undefined a problem, or no content
 * @param path the path of the request
 */
export function injectedResponse(
  status: number,
  content: string | null | undefined,
  path: string,
): Response {
  return withHeaders(responseWith(status, content, path), NO_STORE);
}

function responseWith(status: number, content: string | null | undefined, path: string): Response {
  if (content?.startsWith('"')) {
    const text = byteString(String(JSON.parse(content)));
    return { status, mediaType: 'text/plain; charset=utf-8', content: text };
  }
  if (content !== undefined) return jsonResponse(status, byteString(String(content)));
  if (status === 204 || status === 304) return { status };
  if (status < 400) return { status, content: byteString('') };
  const detail = 'Injected by a fault; nothing was done';
  return serviceProblem('injected-fault', detail, { status }).toResponse(path, PROBLEM_TYPE_PREFIX);
}

/**
 * The response with header fields of faults, with the names as written. They replace fields of the same
 * name, and a later fault replaces an earlier one; a `Vary` is added to that of the response. The page,
 * which has a policy, keeps its fields.
 * @param keepsId whether `X-Request-Id` echoes the id that the client has sent
 */
export function withFaultFields(
  response: Response,
  faults: readonly NonNullable<Fault['headers']>[],
  keepsId: boolean,
): Response {
  const fields = new Map<string, readonly [name: string, values: readonly string[]]>();
  for (const [name, value] of faults.flatMap((headers) => Object.entries(headers))) {
    fields.set(name.toLowerCase(), [name, [value].flat()]);
  }
  if (keepsId) fields.delete('x-request-id');
  const { headers = {} } = response;
  if (fields.size === 0 || headers['Content-Security-Policy'] !== undefined) return response;
  const [varyName, vary = []] = fields.get('vary') ?? [];
  if (varyName !== undefined && headers.Vary !== undefined) {
    const names = [headers.Vary, ...vary].filter((each) => each !== '');
    fields.set('vary', [varyName, [names.join(', ')]]);
  }
  const kept = Object.entries(headers).filter(([name]) => !fields.has(name.toLowerCase()));
  const isTyped = fields.has('content-type');
  return {
    ...response,
    ...(isTyped && { mediaType: undefined }),
    headers: { ...Object.fromEntries(kept), ...(isTyped && SANDBOX) },
    extraHeaders: Object.fromEntries(fields.values()),
  };
}
