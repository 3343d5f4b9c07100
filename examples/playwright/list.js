import { test as base, expect } from '@playwright/test';

export { expect };

/** Tests with the list of their worker, which is made or reset for each, and pages that use it. */
export const test = base.extend({
  list: async ({ baseURL, playwright }, use, { parallelIndex }) => {
    const extraHTTPHeaders = { Authorization: 'Bearer secret' };
    const admin = await playwright.request.newContext({ extraHTTPHeaders });
    const name = `worker-${parallelIndex}`;
    const seed = [{ title: 'Buy milk' }];
    const made = await admin.put(`${baseURL}/admin/lists/${name}`, { data: seed });
    await expect(made).toBeOK();
    await use(new List(`${baseURL}/lists/${name}`, admin));
    await admin.dispose();
  },

  // Pages send their requests to /api. These go to the list instead, whose prefix `baseURL` drops.
  context: async ({ context, baseURL, list }, use) => {
    await context.route(`${baseURL}/api/**`, (route) =>
      route.continue({ url: route.request().url().replace(baseURL, list.url) }),
    );
    await use(context);
  },
});

class List {
  /** @param url such as http://localhost:40123/lists/worker-0 */
  constructor(url, admin) {
    this.url = url;
    this.admin = admin;
  }

  async setFaults(...faults) {
    await expect(await this.admin.put(`${this.url}/admin/faults`, { data: { faults } })).toBeOK();
  }

  /** The requests with a method that have arrived; waits for the first. */
  async requests(method) {
    const params = { method, waitMs: 20_000 };
    const response = await this.admin.get(`${this.url}/admin/requests`, { params });
    return (await response.json()).requests;
  }

  async cutStreams() {
    await expect(await this.admin.delete(`${this.url}/admin/streams`)).toBeOK();
  }

  async create(title) {
    await expect(await this.admin.post(`${this.url}/api/todos`, { data: { title } })).toBeOK();
  }
}
