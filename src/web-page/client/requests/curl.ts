import type { ApiRequest, Fields } from '../api/api-request.ts';

/** The curl command that sends the same request. */
export function curlOf({ method, path, headers, body }: ApiRequest, origin: string): string {
  const option = method === 'GET' ? '' : method === 'HEAD' ? ' --head' : ` -X ${method}`;
  const isStream = headers.some(([, value]) => value === 'text/event-stream');
  return [
    `curl -i${isStream ? 'N' : ''}${option} ${quoted(origin + path)}`,
    ...headers.map(withoutToken).map((field) => `-H ${quotedField(field)}`),
    ...(typeof body === 'string' ? [`--data-raw ${quoted(body)}`] : []),
  ].join(' \\\n  ');
}

/** A header field with the name of the token in its place, since screens are projected. */
export function withoutToken([name, value]: Fields[number]): Fields[number] {
  const isToken = name.toLowerCase() === 'authorization' && value.startsWith('Bearer ');
  return [name, isToken ? 'Bearer $ADMIN_TOKEN' : value];
}

/** Quotes a header field. The shell has to put the token in. */
function quotedField([name, value]: Fields[number]): string {
  const field = `${name}: ${value}`;
  return value === 'Bearer $ADMIN_TOKEN' ? `"${field}"` : quoted(field);
}

/** Quotes a word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
