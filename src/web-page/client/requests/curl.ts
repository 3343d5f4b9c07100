import type { ApiRequest } from '../api/api-request.ts';

/** The curl command that sends the same request. */
export function curlOf({ method, path, headers, body }: ApiRequest, origin: string): string {
  const option = method === 'GET' ? '' : method === 'HEAD' ? ' --head' : ` -X ${method}`;
  const isStream = headers.some(([, value]) => value === 'text/event-stream');
  return [
    `curl -i${isStream ? 'N' : ''}${option} ${quoted(origin + path)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(typeof body === 'string' ? [`--data-raw ${quoted(body)}`] : []),
  ].join(' \\\n  ');
}

/** Quotes a word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
