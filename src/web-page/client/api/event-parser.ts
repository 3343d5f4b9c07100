/** One event of a stream. The data is empty if the event has only an id. */
export type StreamEvent = ReturnType<typeof parseEvent>;

/** Parses server-sent events (the HTML standard, section 9.2.6); the last one may be incomplete. */
export function parseEvents(text: string) {
  const blocks = text.split(/\r?\n\r?\n/);
  return { events: blocks.slice(0, -1).map(parseEvent), rest: blocks.slice(-1).join() };
}

function parseEvent(block: string) {
  const fields = block.split(/\r?\n/).map((line) => /^([^:]*)(?:: ?(.*))?$/s.exec(line));
  const valuesOf = (name: string) =>
    fields.filter((field) => field?.[1] === name).map((field) => field?.[2] ?? '');
  return {
    event: valuesOf('event').at(-1) || 'message',
    data: valuesOf('data').join('\n'),
    id: valuesOf('id').at(-1),
  };
}
