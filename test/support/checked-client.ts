import { ApiDocument, type Document } from './api-document.ts';
import { type Answer, Client, type RequestOptions } from './client.ts';

/** A client for which every response must be one that the API's own document describes. */
export class CheckedClient extends Client {
  #document: Promise<ApiDocument> | undefined;

  override async request(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    this.#document ??= super
      .request('GET', '/openapi.json')
      .then((answer) => new ApiDocument(answer.json<Document>()));
    const document = await this.#document;
    const answer = await super.request(method, path, options);
    document.check({ method, path, ...answer });
    return answer;
  }
}
