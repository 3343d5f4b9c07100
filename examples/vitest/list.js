import { test as base, inject } from 'vitest';

const serviceUrl = inject('serviceUrl');

/** Tests with the list of their worker, which is made or reset for each. */
export const test = base.extend('list', async () => {
  const name = `worker-${process.env.VITEST_POOL_ID}`;
  const url = `${serviceUrl}/lists/${name}`;
  await admin('PUT', `${serviceUrl}/admin/lists/${name}`, [{ title: 'Buy milk' }]);
  return {
    url,
    setFaults: (...faults) => admin('PUT', `${url}/admin/faults`, { faults }),
    requests: async () => (await (await admin('GET', `${url}/admin/requests`)).json()).requests,
  };
});

/** The names of all lists. */
export async function listNames() {
  const lists = await (await admin('GET', `${serviceUrl}/admin/lists`)).json();
  return lists.map(({ name }) => name);
}

async function admin(method, url, content) {
  const headers = { Authorization: 'Bearer secret', 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers, body: JSON.stringify(content) });
  if (!response.ok) throw new Error(await response.text());
  return response;
}
