import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clientFor } from '../../../support/client.ts';
import type { Todo } from '../../../support/requests.ts';
import { VARIANTS } from '../../../support/service.ts';
import { documented } from '../documents.ts';
import { run } from '../run.ts';

/** A generated schema, as far as this test uses it. */
interface Schema {
  parse(value: unknown): unknown;
  safeParse(value: unknown): { readonly success: boolean };
}

for (const variant of VARIANTS) {
  const name = variant.name.toUpperCase();
  it(`generated zod schemas of variant ${name} accept its responses`, async (test) => {
    const { baseUrl, folder, file } = await documented(test, 'zod', variant);
    await run('openapi-ts', '--input', file, '--output', folder, '--plugins', 'zod', '--silent');
    const schemas: Readonly<Record<string, Schema>> = await import(`${folder}/zod.gen.ts`);
    const schema = (name: string) => schemas[name] ?? assert.fail(`there is no ${name}`);
    const client = clientFor(test, baseUrl);

    const created = await client.post('/api/todos', { title: '😀' });
    const item = `/api/todos/${created.json<Todo>().id}`;
    for (const [name, answer] of [
      ['zCreateTodoResponse', created],
      ['zListTodosResponse', await client.get('/api/todos')],
      ['zGetTodoResponse', await client.get(item)],
      ['zUpdateTodoResponse', await client.put(item, { completed: true, title: ' ' })],
      ['zPatchTodoResponse', await client.patch(item, { priority: 1 })],
      ['zGetLivenessResponse', await client.get('/livez')],
      ['zGetApiDocumentResponse', await client.get('/openapi.json')],
      ['zProblem', await client.get('/api/todos/0')],
      ['zProblem', await client.post('/api/todos', { priority: 9 })],
      ['zProblem', await client.get('/api/todos?limit=x')],
    ] as const) {
      schema(name).parse(answer.json<unknown>());
    }
    schema('zGetMetricsResponse').parse((await client.get('/metrics')).text);

    const isTaken = (title: string) => schema('zCreateTodo').safeParse({ title }).success;
    const taken = ['x', ' x ', '\u200b', '\ufeff', '😀', '\n\u2028x\u2029'];
    for (const title of taken) assert(isTaken(title), JSON.stringify(title));
    const refused = ['', ' ', '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u3000'];
    for (const title of refused) assert(!isTaken(title), JSON.stringify(title));
    for (const title of [...taken, ...refused]) {
      const { status } = await client.post('/api/todos', { title });
      assert.equal(status, isTaken(title) ? 201 : 400, JSON.stringify(title));
    }
    const query = { 'id.in': [1, 2], sort: '-priority,title', completed: true, limit: 3 };
    schema('zListTodosQuery').parse(query);
    assert(!schema('zListTodosQuery').safeParse({ sort: 'nothing' }).success);
  });
}
