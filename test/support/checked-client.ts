import { ApiDocument } from './api-document.ts';
import { Client } from './client.ts';
import type { Answer, RequestOptions } from './requests.ts';

/** A client that asserts that the API document describes every response. */
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
    document.check({ method, path, ...answer });
    return answer;
  }
}
