import type { ApiRequest, Fields } from '../api/api-request.ts';

/** A header value that the shell completes with the token. */
const TOKEN_VARIABLE = 'Bearer $ADMIN_TOKEN';

/** The curl command that sends a request to a path. */
export function curlOf({ method, path, headers, body }: ApiRequest, origin: string): string {
  const hasBody = typeof body === 'string';
  const isStream = headers.some(([, value]) => value === 'text/event-stream');
  // -N shows each event of a stream at once, -g takes brackets and braces as they are.
  const flags = `-i${isStream ? 'N' : ''}${/[[\]{}]/.test(path) ? 'g' : ''}`;
  // With content, the method would be POST, and --head an error.
  const needsMethod = hasBody || !['GET', 'HEAD'].includes(method);
  const option = needsMethod ? `-X ${method}` : method === 'HEAD' ? '--head' : '';
  return [
    `curl ${flags}${option && ` ${option}`} ${quoted(origin + path)}`,
    ...headers.map(withoutToken).map((field) => `-H ${quotedField(field)}`),
    ...(hasBody ? [`--data-raw ${quoted(body)}`] : []),
  ].join(' \\\n  ');
}

/** A header field with a variable in place of the token, because others may see the screen. */
export function withoutToken([name, value]: Fields[number]): Fields[number] {
  const isToken = name.toLowerCase() === 'authorization' && /^bearer /i.test(value);
  return [name, isToken ? TOKEN_VARIABLE : value];
}

/** Quotes a header field, with double quotes if the shell has to insert the token. */
function quotedField([name, value]: Fields[number]): string {
  const field = value === '' ? `${name};` : `${name}: ${value}`;
  return value === TOKEN_VARIABLE ? `"${field}"` : quoted(field);
}

/**
 * Quotes a word for a POSIX shell. Control characters, which a terminal would obey when they are
 * pasted, as bash, zsh and ksh write them.
 */
function quoted(text: string): string {
  if (/[^\P{Cc}\n]/u.test(text)) {
    const escaped = (character: string) =>
      `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return `$'${text.replace(/[\p{Cc}\\']/gu, escaped)}'`;
  }
  return `'${text.replaceAll("'", "'\\''")}'`;
}
