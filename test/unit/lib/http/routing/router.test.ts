import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Router } from '../../../../../src/lib/http/routing/router.ts';
import { route } from '../../../../support/route.ts';

// The other rules are tested over HTTP (`test/api/contract.test.ts`, `test/api/http.test.ts`).
it('a router rejects two routes with the same method and path', () => {
  const list = route('GET', '/api/notes', () => ({ status: 204 }));
  assert.throws(() => new Router([list, list]), /two routes for GET/);
});
