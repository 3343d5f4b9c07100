import type { TestContext } from 'node:test';
import { pageItems } from '../../../src/service/page/page-items.ts';
import type { Definition } from '../../../src/service/resource/definition.ts';
import { createSend, type Send } from '../../../src/web-page/client/api/api-request.ts';
import { createService } from '../../../src/web-page/client/api/service.ts';
import type { PageData } from '../../../src/web-page/page-data.ts';
import { startApp, type TestOptions } from '../../support/service.ts';

export function pageDataOf(variant: Definition): PageData {
  const maxSeedBytes = 1024;
  const facts = {
    lists: [],
    needsList: false,
    isControlled: false,
    faultPath: variant.api.collection,
    maxSeedBytes,
  };
  return { title: 'Todo service', version: '1.0.0', ...facts, ...pageItems(variant) };
}

/**
 * The page's requests to a service, and their request lines. `before` is called with each request
 * line, and may throw instead of the request.
 */
export async function startPageService(
  test: TestContext,
  variant: Definition,
  options: TestOptions = {},
  before: (line: string) => unknown = () => {},
) {
  const { baseUrl, client } = await startApp(test, variant, options);
  const sent: string[] = [];
  const bodies: unknown[] = [];
  const sendAtOnce = createSend(() => () => {});
  const send: Send = async (request, listener) => {
    const fields = request.headers.map(([name]) => name).join();
    const path = decodeURIComponent(request.path.slice(baseUrl.length));
    const line = `${request.method} ${path} ${fields}`;
    sent.push(line);
    if (typeof request.body === 'string') bodies.push(JSON.parse(request.body));
    await before(line);
    return sendAtOnce(request, listener);
  };
  const service = createService(pageDataOf(variant), baseUrl, send);
  return { client, sent, bodies, service };
}
