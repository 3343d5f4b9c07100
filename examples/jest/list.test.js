const { request } = require('node:http');
const { startTodoService } = require('todo-service');
const { showOpen } = require('./list.js');

/** As much of `fetch` as the page needs. */
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
afterAll(() => service.stop());

test('shows what is open, most important first', async () => {
  const list = document.createElement('ul');
  await showOpen(fetch, service.url, list);
  expect([...list.children].map(({ textContent }) => textContent)).toEqual(['Buy milk', 'Sleep']);
});
