import type { TestContext } from 'node:test';
import type { Variant } from '../../../src/service/todo/variant.ts';
import { readDocument } from '../../../src/web-page/client/api/document.ts';
import type { Send } from '../../../src/web-page/client/api/exchange.ts';
import { createService, type Service } from '../../../src/web-page/client/api/service.ts';
import { Client } from '../../support/client.ts';
import { startApp } from '../../support/service.ts';
import { manyFields } from './many-fields.ts';

/** What the page knows of a service that was started for the test. */
export async function serviceOf(
  test: TestContext,
  variant: Variant = manyFields,
): Promise<Service> {
  const { baseUrl } = await startApp(test, variant, {});
  const client = new Client(baseUrl);
  test.after(() => client.close());
  const document = (await client.get('/openapi.json')).json<unknown>();
  return createService(readDocument(document), sendNothing);
}

/** For what the page knows without a request. */
export const sendNothing: Send = () => Promise.reject(new Error('nothing is sent'));
