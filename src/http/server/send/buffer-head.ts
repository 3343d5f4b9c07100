import { byteString, joined } from '../../../json/byte-string.ts';
import type { Response } from '../../core/response.ts';
import { NOT_YET, type Steps } from '../../core/steps.ts';

/** Content up to this size is sent as one piece, with its length. */
const MAX_WHOLE_BYTES = 256 * 1024;

/**
 * Makes the beginning of content in steps before the head of its response is sent: an error can
 * still become another response, and short content is sent whole.
 * @param content the content of the response
 * @returns the response with all of it, or with its beginning and the rest
 */
export function bufferHead(
  response: Response,
  content: NonNullable<Response['rest']>,
): Steps<undefined, Response> {
  let text = byteString('');
  return {
    next() {
      const { done, value: part } = content.next();
      if (part) text = joined(text, part);
      if (!done && text.length <= MAX_WHOLE_BYTES) return NOT_YET;
      if (done) content.close?.();
      return {
        done: true,
        value: { ...response, content: text, rest: done ? undefined : content },
      };
    },
    get bytes() {
      return text.length + (content.bytes ?? 0);
    },
    close: () => content.close?.(),
  };
}
