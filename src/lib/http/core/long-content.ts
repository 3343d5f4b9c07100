import { type ByteString, byteString } from '../../json/index.ts';
import { NOT_YET, type Steps } from '../../steps.ts';
import type { Request } from './request.ts';
import {
  createDrainWaiter,
  type HeaderFields,
  jsonResponse,
  type Response,
  type StreamedContent,
  type StreamWriter,
} from './response.ts';

/** The parts of long content, each worth a write. They are made while the client reads. */
export type ContentParts = Steps<ByteString, ByteString>;

interface Part {
  readonly text: ByteString;
  readonly isLast: boolean;
}

/**
 * Responds with long JSON content. Produces its first part before the response begins, because an
 * error can still replace the response. If there is only one part, it is the whole content.
 */
export function longResponse(
  request: Request,
  status: number,
  parts: ContentParts,
  headers?: HeaderFields,
): Response | Promise<Response> {
  // Closes the parts even if middleware drops the response.
  request.onEnd(() => parts.close?.());
  const next = stepsToNextPart(parts);
  const respond = ({ text, isLast }: Part) =>
    jsonResponse(status, isLast ? text : streamed(text, next, request), headers);
  const first = request.run(next);
  return first instanceof Promise ? first.then(respond) : respond(first);
}

const NOTHING = byteString('');

function streamed(first: ByteString, next: Steps<undefined, Part>, request: Request) {
  let unwritten = first;
  const content: StreamedContent = (writer) => {
    const drained = createDrainWaiter(writer);
    writer.write(unwritten);
    // Frees the part, because the response is kept until its end.
    unwritten = NOTHING;
    return writeParts(next, writer, request, drained);
  };
  return content;
}

/** Writes content part by part, each when the client has read the parts before. */
async function writeParts(
  next: Steps<undefined, Part>,
  writer: StreamWriter,
  request: Request,
  drained: () => Promise<void> | undefined,
): Promise<void> {
  do await drained();
  while (!(await writeNext(next, writer, request)));
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
