/* Uses the operations through the generated client, unmodified: program.ts URL TOKEN */
import assert from 'node:assert/strict';
import { AdminApi, Configuration, ResponseError, TodosApi } from './client/index.ts';

const [basePath = '', token] = process.argv.slice(2);
const configured = (accessToken?: string) => new Configuration({ basePath, accessToken });
const todos = new TodosApi(configured());
const admin = new AdminApi(configured(token));

/** The problem that a call must fail with. */
async function problem(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert(error instanceof ResponseError, `the call did not fail with a response: ${error}`);
  return error.response.json();
}

const created = await todos.createTodo({ createTodo: { title: 'Buy milk 😀' } });
assert.equal(created.priority, 3);
const more = [{ title: 'Buy bread' }, { title: 'Call home' }];
const several = await todos.createTodos({ createTodo: more });
assert.deepEqual(
  several.map(({ title }) => title),
  ['Buy bread', 'Call home'],
);

const where = JSON.stringify({ or: [{ priority: 3 }, { completed: true }] });
const conditions = { titleContains: 'milk', completed: false, idIn: [created.id], where };
const options = { search: 'MILK', sort: '-priority,title.ignoreCase', limit: 5 };
const found = await todos.listTodosRaw({ ...conditions, ...options });
assert.deepEqual(await found.value(), [created]);
assert.equal(found.raw.headers.get('X-Total-Count'), '1');

const { id } = created;
const tag = (await todos.getTodoRaw({ id })).raw.headers.get('ETag') ?? '';
const put = await todos.updateTodo({ id, updateTodo: { completed: true }, ifMatch: tag });
assert.deepEqual(put, { ...created, completed: true });
const patchTodo = { priority: 5 };
const stale = await problem(todos.patchTodo({ id, patchTodo, ifMatch: tag }));
assert.equal(stale.code, 'precondition-failed');
assert.equal((await todos.patchTodo({ id, patchTodo })).priority, 5);

const undone = await todos.patchTodos({ patchTodo: { completed: false }, priorityGte: 5 });
assert.equal(undone.updated, 1);
assert.equal((await problem(todos.deleteTodos())).code, 'condition-required');
assert.equal((await todos.deleteTodos({ titleStartsWith: 'B' })).deleted, 2);
await todos.deleteTodo({ id: several[1]?.id ?? 0 });
assert.equal((await problem(todos.getTodo({ id }))).code, 'not-found');

const refused = await problem(todos.createTodo({ createTodo: { title: ' ', priority: 9 } }));
assert.deepEqual(
  refused.errors.map(({ code }: { code: string }) => code),
  ['not-blank', 'maximum'],
);

const injected = { status: 503, times: 1, headers: { 'Retry-After': '1' } };
const { faults } = await admin.setFaults({ faults: { faults: [injected, { abort: 'after' }] } });
assert.deepEqual(
  faults.map(({ abort, hits }) => [abort, hits]),
  [
    [undefined, 0],
    ['after', 0],
  ],
);
assert.equal((await problem(todos.listTodos())).code, 'injected-fault');
assert.equal((await admin.getFaults()).faults[0]?.hits, 1);
assert.deepEqual((await admin.clearFaults()).faults, []);

const journal = await admin.getRequests({ method: 'POST', path: '/api/todos', status: 201 });
assert.equal(journal.requests.length, 2);
await admin.clearRequests();
assert.deepEqual((await admin.getRequests()).requests, []);
// Without an argument it fails before it sends anything.
const stranger = new AdminApi(configured('x'));
assert.equal((await problem(stranger.reset({ seedInner: [] }))).code, 'unauthorized');

const watching = todos.watchTodos();
while (!(await Promise.race([watching, admin.cutStreams()]))?.includes('event: ready'));
await admin.reset({ seedInner: [{ title: 'seeded', completed: true }] });
assert.deepEqual(
  (await todos.listTodos()).map(({ title }) => title),
  ['seeded'],
);
assert.equal((await todos.deleteTodos({ priorityGte: 1 })).deleted, 1);
