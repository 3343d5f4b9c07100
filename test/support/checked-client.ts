import { appendFileSync } from 'node:fs';
import { ApiDocument, type Exchange } from './api-document.ts';
import { type Answer, Client, type RequestOptions } from './client.ts';

/** An exchange as recorded in `EXCHANGES`, one JSON text per line. */
export interface RecordedExchange extends Exchange {
  /** The title of the API document. */
  readonly api: string;
  /** The path template that the request matched. */
  readonly template?: string | undefined;
}

/**
 * A client that asserts that the API document describes every response. If the environment variable
 * `EXCHANGES` names a file, the exchanges are recorded there for other checks.
 */
export class CheckedClient extends Client {
  #document: Promise<ApiDocument> | undefined;

  /** The API document of the service. */
  document(): Promise<ApiDocument> {
    this.#document ??= super
      .request('GET', '/openapi.json')
      .then((answer) => ApiDocument.of(answer.text));
    return this.#document;
  }

  override async request(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    const document = await this.document();
    const answer = await super.request(method, path, options);
    const exchange: Exchange = { method, path, ...answer };
    const { EXCHANGES: file } = process.env;
    if (file !== undefined)
      appendFileSync(file, `${JSON.stringify(recorded(document, exchange))}\n`);
    document.check(exchange);
    return answer;
  }
}

function recorded(document: ApiDocument, exchange: Exchange): RecordedExchange {
  const [path = ''] = exchange.path.split('?', 1);
  const { title } = document.document.info;
  return { api: title, template: document.templateOf(path), ...exchange };
}
