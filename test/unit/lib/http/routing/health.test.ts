import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../../../../src/lib/http/core/problem.ts';
import type { Response } from '../../../../../src/lib/http/core/response.ts';
import { healthRoutes } from '../../../../../src/lib/http/routing/health.ts';

const UNREADY = new Problem('overloaded', 'There is no store');

/** What a probe answers; it looks at nothing of the request. */
function probe(path: string, isDraining: boolean, problem?: Problem): Response {
  const routes = healthRoutes(
    () => isDraining,
    () => problem,
  );
  const route = routes.find((each) => each.path === path);
  const response = route?.handle(undefined as never);
  assert(response !== undefined && !(response instanceof Promise));
  return response;
}

describe('the probes', () => {
  it('are 200 while all is well', () => {
    for (const path of ['/livez', '/readyz']) assert.equal(probe(path, false).status, 200);
    const ready = healthRoutes(() => false).find(({ path }) => path === '/readyz');
    assert.deepEqual(ready?.handle(undefined as never), probe('/readyz', false));
  });

  it('tell a service that is not ready from one that is not alive', () => {
    assert.throws(() => probe('/readyz', false, UNREADY), UNREADY);
    assert.equal(probe('/livez', false, UNREADY).status, 200);
    assert.equal(probe('/livez', true).status, 200);
  });

  it('say of a service that shuts down that it does, and to come back in ten seconds', () => {
    for (const problem of [undefined, UNREADY]) {
      assert.throws(() => probe('/readyz', true, problem), {
        code: 'draining',
        headers: { 'Retry-After': '10' },
      });
    }
    const routes = healthRoutes(() => true);
    assert.deepEqual(
      routes.map(({ operation }) => operation.problems ?? []),
      [[], ['draining']],
    );
  });
});
