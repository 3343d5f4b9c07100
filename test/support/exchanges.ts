import { afterEach, beforeEach, type TestContext } from 'node:test';

/*
 * Records the last requests of a test and their responses, and adds them to the message of a test
 * that fails.
 */

/** The number of exchanges in a message. */
const MAX_EXCHANGES = 3;

/** The maximum length of a request or a response in a message, in UTF-16 units. */
const MAX_LENGTH = 500;

interface Exchange {
  readonly request: string;
  response: string;
}

let exchanges: Exchange[] = [];

/** Records a request. Returns the function that records its response. */
export function recordRequest(request: string): (response: string) => void {
  const exchange: Exchange = { request: short(request), response: 'none' };
  exchanges = [...exchanges, exchange].slice(-MAX_EXCHANGES);
  return (response) => {
    exchange.response = short(response);
  };
}

/** The context of a hook. The types of Node 20 lack `error`. */
type EndedTest = TestContext & { readonly error?: Error | null };

/** Adds lines to the message of a test if it has failed. */
export function addIfFailed(test: EndedTest, lines: () => string): void {
  const cause = test.error?.cause;
  if (!(cause instanceof Error)) return;
  const message = `${cause.message.trimEnd()}\n\n${lines()}`;
  cause.stack = (cause.stack ?? '').replace(cause.message, () => message);
  cause.message = message;
}

// With hooks, Node would print a summary of tests also at the end of a program that has none.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  beforeEach(() => {
    exchanges = [];
  });

  afterEach((context) => {
    if (exchanges.length === 0) return;
    const lines = () =>
      exchanges.map(({ request, response }) => `request:  ${request}\nresponse: ${response}`);
    addIfFailed(context as TestContext, () => lines().join('\n'));
  });
}

/** Text as printable characters, cut if it is long. */
function short(text: string): string {
  const more = text.length - MAX_LENGTH;
  const printable = text
    .slice(0, MAX_LENGTH)
    .replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
  return more > 0 ? `${printable}… (${more} more)` : printable;
}
