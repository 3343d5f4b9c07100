import type { ApiRequest, Fields } from '../api/api-request.ts';

/** A header value that the shell completes with the token. */
const TOKEN_VARIABLE = 'Bearer $ADMIN_TOKEN';

/** The curl command that sends a request. */
export function curlOf({ method, path, headers, body }: ApiRequest, origin: string): string {
  const option = method === 'GET' ? '' : method === 'HEAD' ? ' --head' : ` -X ${method}`;
  const isStream = headers.some(([, value]) => value === 'text/event-stream');
  // With -N, curl shows each event of a stream at once.
  return [
    `curl -i${isStream ? 'N' : ''}${option} ${quoted(origin + path)}`,
    ...headers.map(withoutToken).map((field) => `-H ${quotedField(field)}`),
    ...(typeof body === 'string' ? [`--data-raw ${quoted(body)}`] : []),
  ].join(' \\\n  ');
}

/** A header field with a variable in place of the token, because others may see the screen. */
export function withoutToken([name, value]: Fields[number]): Fields[number] {
  const isToken = name.toLowerCase() === 'authorization' && value.startsWith('Bearer ');
  return [name, isToken ? TOKEN_VARIABLE : value];
}

/** Quotes a header field, with double quotes if the shell has to insert the token. */
function quotedField([name, value]: Fields[number]): string {
  const field = `${name}: ${value}`;
  return value === TOKEN_VARIABLE ? `"${field}"` : quoted(field);
}

/** Quotes a word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
