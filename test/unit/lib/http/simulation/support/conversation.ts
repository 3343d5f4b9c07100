import { getRequest } from '../../../../../support/raw-requests.ts';
import type { Random } from '../../../table/support/random.ts';

/** A request of a conversation, and its expected response. */
export interface Sent {
  readonly bytes: string;
  /** A text that no other response has; undefined for an error. */
  readonly token: string | undefined;
  readonly status: number;
  /** Whether nothing on the connection is served after it. */
  readonly isLast: boolean;
}

/** How a client ends its conversation. */
export type Ending = 'half-close' | 'reset' | 'destroy' | 'bad bytes' | 'cut' | 'silence';

/** All that one client sends, in the pieces in which it sends it. */
export interface Conversation {
  readonly sent: readonly Sent[];
  readonly pieces: readonly string[];
  readonly ending: Ending;
}

/** Trailer fields. The response after any of them closes the connection. */
const TRAILERS = ['Connection: close', 'Upgrade: h2c\r\nConnection: upgrade', 'X: y'] as const;

const BAD_BYTES = [
  ...['A FOO /x HTTP/1.1\r\n\r\n', 'GET\0FOO /\r\n\r\n', '\x16\x03\x01\x02\r\n\r\n', 'x'],
  ...[
    'GET /now HTTP/1.1\nHost: h\n\n',
    'POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n',
  ],
] as const;

const UPGRADE = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n';

/** Makes up a conversation. @param name a unique name */
export function conversation(random: Random, name: string): Conversation {
  const sent: Sent[] = [];
  const count = 1 + random.below(6);
  for (let i = 0; i < count && sent.at(-1)?.isLast !== true; i++) {
    // Bytes that follow an offer of an upgrade in the same segment are not served.
    const upgrade = i === count - 1 && random.chance(2) ? UPGRADE : '';
    sent.push(request(random, `${name}.${i}`, upgrade));
  }
  const endings = ['half-close', 'reset', 'destroy', 'bad bytes', 'cut', 'silence'] as const;
  const ending = random.pick(endings);
  let bytes = sent.map((each) => each.bytes).join('');
  if (ending === 'bad bytes') bytes += random.pick(BAD_BYTES);
  if (ending === 'cut') {
    const whole = post(random, `${name}.cut`, '').bytes;
    bytes += whole.slice(0, 1 + random.below(whole.length - 1));
  }
  return { sent, pieces: cut(random, bytes), ending };
}

function request(random: Random, token: string, upgrade: string): Sent {
  const get = (path: string, status: number, more: Partial<Sent> = {}): Sent => {
    const bytes = getRequest(`${path}?${token}`, upgrade);
    return { bytes, token, status, isLast: false, ...more };
  };
  switch (random.below(9)) {
    case 0:
      return get('/now', 200);
    case 1:
      return get('/later', 200);
    case 2:
      return get('/steps', 200);
    case 3:
      return get('/throws', 500, { token: undefined });
    case 4:
      return get('/none', 404, { token: undefined });
    case 5:
      return get('/last', 200, { isLast: true });
    case 6: {
      // Responded to before its content has arrived.
      const early = post(random, token, upgrade, true);
      const bytes = early.bytes.replace('/echo', '/none');
      return { ...early, bytes, status: 404, token: undefined };
    }
    default:
      return post(random, token, upgrade);
  }
}

function post(random: Random, token: string, upgrade: string, hasLength = random.chance(2)): Sent {
  const length = random.pick([0, 1, 100, 5_000, 30_000]);
  const content = `${token}${'.'.repeat(length)}`;
  const head = `POST /echo?${token} HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\n${upgrade}`;
  const sent = { token, status: 200, isLast: false };
  if (hasLength) {
    return { ...sent, bytes: `${head}Content-Length: ${content.length}\r\n\r\n${content}` };
  }
  const chunks = [content.slice(0, length / 2), content.slice(length / 2)].filter(Boolean);
  const coded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  const isLast = random.chance(4);
  const trailer = isLast ? `${random.pick(TRAILERS)}\r\n` : '';
  const bytes = `${head}Transfer-Encoding: chunked\r\n\r\n${coded}0\r\n${trailer}\r\n`;
  return { ...sent, isLast, bytes };
}

function cut(random: Random, bytes: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random.below(random.pick([3, 40, 1_000, 100_000]));
    pieces.push(bytes.slice(at, end));
    at = end;
  }
  return pieces;
}
