import { Exchange, type Fields, PAGE_ID } from '../api/api-request.ts';
import { AUTOMATIC } from '../requests/exchange-details.ts';
import { type JsonRecord, recordOf, textOf } from '../shared/json.ts';

/** A request in the journal of the service, by any client. */
export interface Entry {
  readonly number: number;
  readonly requestId: string;
  /** When it arrived, in milliseconds since 1970, by the clock of the service. */
  readonly time: number;
  /** Creates its exchange, without a response. */
  exchange(): Exchange;
  /** Sets what is known of the response. */
  fill(exchange: Exchange): void;
}

export function entryOf(entry: JsonRecord): Entry {
  const { status, durationMs } = entry;
  const time = Date.parse(textOf(entry.time));
  return {
    number: Number(entry.number),
    requestId: textOf(entry.requestId),
    time,
    exchange: () => recordedExchange(entry, time),
    fill(exchange) {
      exchange.status = Number(status ?? 0);
      exchange.durationMs = Number(durationMs ?? 0);
      exchange.isOpen = durationMs === null;
      if (!exchange.isOpen && exchange.status === 0) exchange.failure = 'No response';
    },
  };
}

function recordedExchange(entry: JsonRecord, sentAt: number): Exchange {
  const fields = Object.entries(recordOf(entry.headers)).map(([name, value]): Fields[number] => [
    name,
    textOf(value),
  ]);
  const content = textOf(entry.content);
  const exchange = new Exchange({
    method: textOf(entry.method),
    path: textOf(entry.target),
    headers: fields.filter(([name]) => !AUTOMATIC.test(name)),
    body: content === '' ? null : content,
  });
  const recorded = {
    automatic: fields.filter(([name]) => AUTOMATIC.test(name)),
    isCut: Number(entry.contentBytes) > new TextEncoder().encode(content).length,
  };
  return Object.assign(exchange, { sentAt, client: clientOf(entry), recorded });
}

/** The sender in words: a page like this one, its origin, or the first product of its name. */
function clientOf({ requestId, headers }: JsonRecord): string {
  const { origin, 'user-agent': agent } = recordOf(headers);
  if (textOf(requestId).startsWith('page-')) {
    return textOf(requestId).startsWith(PAGE_ID) ? 'this page' : 'another tab';
  }
  const [product = ''] = textOf(agent).split(/[/ ]/);
  if (origin) return textOf(origin).replace(/^https?:\/\//, '');
  return product === 'Mozilla' ? 'browser' : product || 'unknown';
}
