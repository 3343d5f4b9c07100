import { isJsonArray, isJsonObject, MalformedJsonError, parseJsonBytes } from '../../json/index.ts';
import { Problem } from '../messages/problem.ts';
import type { Request } from '../messages/request.ts';

/** The media types of JSON. */
export const JSON_MEDIA_TYPES = ['application/json', 'application/*+json'] as const;

/** Parses the content of a request as a JSON object. @throws Problem `malformed-body` */
export function jsonObjectOf({ content }: Request) {
  return parseContent(content, isJsonObject);
}

/** Parses the content of a request as a JSON array. @throws Problem `malformed-body` */
export function jsonArrayOf({ content }: Request) {
  return parseContent(content, isJsonArray, 'a JSON array');
}

/** Parses content as JSON of a type. @param form its type in words @throws Problem `malformed-body` */
export function parseContent<T>(
  content: Buffer,
  isOfType: (value: unknown) => value is T,
  form = 'a JSON object',
): T {
  try {
    return parseJsonBytes(content, isOfType);
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    const detail = `The content ${error.message}; it must be ${form} in UTF-8`;
    throw new Problem('malformed-body', detail);
  }
}
