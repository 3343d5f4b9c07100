import assert from 'node:assert/strict';

interface Item {
  readonly id: number;
  readonly title: string;
}

/**
 * A worker of a test suite: each test resets the list, and then uses all operations.
 * @param base the URL of a server, or of a list of it
 */
export async function runSuite(base: string, token: string, tests: number): Promise<void> {
  for (let test = 0; test < tests; test++) {
    await send('POST', '/admin/reset');
    const created = itemOf(await send('POST', '/api/todos', { title: `first of ${test}` }));
    await send('POST', '/api/todos', { title: 'second', priority: 5 });
    await send('PUT', `/api/todos/${created.id}`, { completed: true });
    assert.equal(itemOf(await send('GET', `/api/todos/${created.id}`)).title, created.title);
    const found = await send('GET', '/api/todos?search=second');
    assert(Array.isArray(found) && found.length === 1, 'no other worker changes the list');
    await send('DELETE', `/api/todos/${created.id}`);
    await send('GET', '/api/todos?completed=false&sort=priority&limit=10');
  }

  async function send(method: string, path: string, content?: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = content === undefined ? null : JSON.stringify(content);
    const response = await fetch(base + path, { method, headers, body });
    const text = await response.text();
    assert(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

function itemOf(value: unknown): Item {
  assert(typeof value === 'object' && value !== null && 'id' in value && 'title' in value);
  return { id: Number(value.id), title: String(value.title) };
}
