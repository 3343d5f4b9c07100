import assert from 'node:assert/strict';
import { getTodo, updateTodo } from './client.ts';

const missing = await getTodo(999);
// In this case alone, `data` is an item.
assert(missing.status !== 200);
assert(missing.status === 404);
assert.equal(missing.data.code, 'not-found');

const stale = await updateTodo(1, { completed: true }, { headers: { 'If-Match': '"old"' } });
assert(stale.status === 412);
assert.equal(stale.data.code, 'precondition-failed');
