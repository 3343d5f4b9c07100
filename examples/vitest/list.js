import { randomUUID } from 'node:crypto';
import { test as base, inject } from 'vitest';

const serviceUrl = inject('serviceUrl');

/** Tests with a list of their own, which their setup gets, too. It is removed after the test. */
export const test = base.extend('list', async ({ task: _ }, { onCleanup }) => {
  const name = randomUUID();
  const url = `${serviceUrl}/lists/${name}`;
  await admin('PUT', `${serviceUrl}/admin/lists/${name}`, [{ title: 'Buy milk' }]);
  onCleanup(() => admin('DELETE', `${serviceUrl}/admin/lists/${name}`));
  return {
    url,
    setFaults: (...faults) => admin('PUT', `${url}/admin/faults`, { faults }),
    requests: async () => (await (await admin('GET', `${url}/admin/requests`)).json()).requests,
  };
});

async function admin(method, url, content) {
  const headers = { Authorization: 'Bearer secret', 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers, body: JSON.stringify(content) });
  if (!response.ok) throw new Error(await response.text());
  return response;
}
