import { test as base, expect } from '@playwright/test';

export { expect };

/** Tests with the list of their worker, which is made or reset for each. */
export const test = base.extend({
  /** The member of the field `baggage` that leads a request to the list. */
  member: async ({ baseURL: _ }, use, { parallelIndex }) => {
    await use(`todo-list=worker-${parallelIndex}`);
  },

  // Not `extraHTTPHeaders`, which other origins get, too. They refuse an unknown field in preflights.
  context: async ({ context, baseURL, member }, use) => {
    const { origin } = new URL(baseURL);
    await context.route(
      (url) => url.origin === origin,
      async (route, request) => {
        const { baggage, ...headers } = await request.allHeaders();
        const members = [baggage, member].filter(Boolean).join();
        await route.continue({ headers: { ...headers, baggage: members } });
      },
    );
    await use(context);
  },

  request: async ({ playwright, baseURL, member }, use) => {
    const extraHTTPHeaders = { baggage: member };
    const request = await playwright.request.newContext({ baseURL, extraHTTPHeaders });
    await use(request);
    await request.dispose();
  },

  list: [
    async ({ baseURL, member, playwright }, use) => {
      const admin = await playwright.request.newContext({
        baseURL,
        extraHTTPHeaders: { baggage: member, Authorization: 'Bearer secret' },
      });
      const data = [{ title: 'Buy milk' }];
      const path = `/admin/lists/${member.replace(/^.*=/, '')}`;
      await expect(await admin.put(path, { data })).toBeOK();
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

  /** The requests that a filter finds, such as `{ method: 'POST' }`; waits for the first. */
  async requests(filter) {
    const params = { ...filter, waitMs: 20_000 };
    return (await (await this.admin.get('/admin/requests', { params })).json()).requests;
  }

  async cutStreams() {
    await expect(await this.admin.delete('/admin/streams')).toBeOK();
  }

  async create(title) {
    await expect(await this.admin.post('/api/todos', { data: { title } })).toBeOK();
  }
}
