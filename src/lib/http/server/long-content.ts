import type { ByteString } from '../../json/index.ts';
import { NOT_YET, type Steps } from '../../steps.ts';
import type { Request } from '../core/request.ts';
import {
  type ContentParts,
  createDrainWaiter,
  isParts,
  type Response,
  type StreamWriter,
} from '../core/response.ts';

interface Part {
  readonly text: ByteString;
  readonly isLast: boolean;
}

/**
 * Produces the first part of content before the response begins, because an error can still replace
 * the response. If there is only one part, the response gets it as its whole content.
 */
export function beginContent(response: Response, request: Request): Response | Promise<Response> {
  const { content } = response;
  if (!isParts(content)) return response;
  // Closes the parts even if middleware drops the response.
  request.onEnd(() => content.close?.());
  const begun = ({ text, isLast }: Part): Response => ({
    ...response,
    content: isLast ? text : withFirst(text, content),
  });
  const first = request.run(stepsToNextPart(content));
  return first instanceof Promise ? first.then(begun) : begun(first);
}

/** Puts a part before the rest. Frees it when it is taken. */
function withFirst(first: ByteString, rest: ContentParts): ContentParts {
  let untaken: ByteString | undefined = first;
  return {
    get bytes() {
      return rest.bytes ?? 0;
    },
    next() {
      const value = untaken;
      untaken = undefined;
      return value === undefined ? rest.next() : { done: false, value };
    },
    close: () => rest.close?.(),
  };
}

/** Writes content part by part, each when the client has read the parts before. */
export async function writeParts(
  parts: ContentParts,
  writer: StreamWriter,
  request: Request,
): Promise<void> {
  const drained = createDrainWaiter(writer);
  const next = stepsToNextPart(parts);
  while (!(await writeNext(next, writer, request))) {
    await drained();
    if (request.isDisconnected) return;
  }
  await drained();
  writer.end();
}

/** Separate, because an async function would retain its variables. @returns whether it ended */
function writeNext(
  next: Steps<undefined, Part>,
  writer: StreamWriter,
  request: Request,
): boolean | Promise<boolean> {
  const write = ({ text, isLast }: Part) => {
    writer.write(text);
    return isLast;
  };
  const part = request.run(next);
  return part instanceof Promise ? part.then(write) : write(part);
}

/** Steps that end with the next part. They can be run again until the last part. */
function stepsToNextPart(parts: ContentParts): Steps<undefined, Part> {
  return {
    get bytes() {
      return parts.bytes ?? 0;
    },
    next() {
      const { done = false, value } = parts.next();
      if (value === undefined) return NOT_YET;
      return { done: true, value: { text: value, isLast: done } };
    },
    close: () => parts.close?.(),
  };
}
