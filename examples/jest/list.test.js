const { request } = require('node:http');
const { startTodoService } = require('todo-service');
const { showOpen } = require('./list.js');

/** The part of `fetch` that the page needs. */
const fetch = (url) =>
  new Promise((resolve, reject) => {
    request(url, { agent: false }, async (response) => {
      const pieces = await response.toArray();
      resolve({ json: async () => JSON.parse(Buffer.concat(pieces).toString()) });
    })
      .on('error', reject)
      .end();
  });

let service;

beforeAll(async () => {
  service = await startTodoService({
    seed: [
      { title: 'Sleep', priority: 1 },
      { title: 'Buy milk', priority: 5 },
      { title: 'Wake up', completed: true },
    ],
  });
});
beforeEach(() => service.reset());
afterAll(() => service.stop());

test('shows what is open, most important first', async () => {
  const list = document.createElement('ul');
  await showOpen(fetch, service.url, list);
  expect([...list.children].map(({ textContent }) => textContent)).toEqual(['Buy milk', 'Sleep']);
});

test('waits for a slow service', async () => {
  await service.faults([{ route: '/api/todos', delayMs: 3_600_000 }]);
  const list = document.createElement('ul');
  const shown = showOpen(fetch, service.url, list);
  await service.waitForRequests({ method: 'GET', route: '/api/todos' });
  expect(list.children).toHaveLength(0);
  await service.faults([]);
  await shown;
  expect(list.children).toHaveLength(2);
});
