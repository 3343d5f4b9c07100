import { clock } from '../../clock.ts';
import { EtcdError, errorOf } from './error.ts';
import type { Exchange, HttpResponse, Transport } from './transport.ts';

/** A request to etcd's JSON gateway. */
export interface EtcdRequest {
  readonly path: string;
  readonly body: object;
  /** That of the user, if there is one. */
  readonly token?: string | undefined;
  /** The time limit until the response is read, in milliseconds. */
  readonly ms: number;
}

/**
 * Sends a request.
 * @param read reads the response, if its status is 200; what it cannot read is no answer of etcd
 * @throws EtcdError
 */
export async function send<T>(
  transport: Transport,
  { path, body, token, ms }: EtcdRequest,
  read: (response: HttpResponse, exchange: Exchange) => T | Promise<T>,
): Promise<T> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== undefined && { Authorization: token }),
  };
  const exchange = transport.post(path, headers, JSON.stringify(body));
  const timer = clock.setTimeout(() => exchange.abort(`no answer in ${ms} ms`), ms);
  try {
    const response = await exchange.response;
    const { statusCode = 0 } = response;
    if (statusCode !== 200) throw errorOf(statusCode, await textOf(response));
    return await read(response, exchange);
  } catch (error) {
    if (error instanceof EtcdError) throw error;
    const outcome = exchange.hasConnected ? 'unknown' : 'refused';
    const reason = error instanceof Error ? error.message : String(error);
    throw new EtcdError(outcome, `${transport.url}: ${reason}`);
  } finally {
    clock.clear(timer);
  }
}

/** Reads a response as JSON. */
export function jsonOf<T>(parse: (json: unknown) => T): (response: HttpResponse) => Promise<T> {
  return async (response) => parse(JSON.parse(await textOf(response)));
}

async function textOf(response: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
