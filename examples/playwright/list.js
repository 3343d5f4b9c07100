import { test as base, expect } from '@playwright/test';

export { expect };

/** Tests with the list of their worker, which is made or reset for each. */
export const test = base.extend({
  // With this field, all requests of `page` and `request` are for the list.
  extraHTTPHeaders: async ({ baseURL: _ }, use, { parallelIndex }) => {
    await use({ baggage: `todo-list=worker-${parallelIndex}` });
  },

  list: [
    async ({ baseURL, extraHTTPHeaders, playwright }, use, { parallelIndex }) => {
      const admin = await playwright.request.newContext({
        baseURL,
        extraHTTPHeaders: { ...extraHTTPHeaders, Authorization: 'Bearer secret' },
      });
      const data = [{ title: 'Buy milk' }];
      await expect(await admin.put(`/admin/lists/worker-${parallelIndex}`, { data })).toBeOK();
      await use(new List(admin));
      await admin.dispose();
    },
    { auto: true },
  ],
});

class List {
  /** @param admin sends requests for the list, with the token */
  constructor(admin) {
    this.admin = admin;
  }

  async setFaults(...faults) {
    await expect(await this.admin.put('/admin/faults', { data: { faults } })).toBeOK();
  }

  /** The requests with a method that have arrived; waits for the first. */
  async requests(method) {
    const params = { method, waitMs: 20_000 };
    return (await (await this.admin.get('/admin/requests', { params })).json()).requests;
  }

  async cutStreams() {
    await expect(await this.admin.delete('/admin/streams')).toBeOK();
  }

  async create(title) {
    await expect(await this.admin.post('/api/todos', { data: { title } })).toBeOK();
  }
}
