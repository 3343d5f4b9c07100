import { LIST } from './paths.ts';

/** The bytes of a valid create request, with the given parts replaced. */
export function createRequest(
  parts: { path?: string; fields?: string; body?: string } = {},
): string {
  const { path = LIST, body = '{"title":"sent raw"}' } = parts;
  const fields = parts.fields ?? `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${fields}\r\n${body}`;
}

/** The bytes of a GET request, with any extra header fields. */
export function getRequest(target: string, fields = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n`;
}
