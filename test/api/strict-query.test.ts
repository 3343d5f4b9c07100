import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { EVENTS, LIST } from '../support/paths.ts';
import { startApp } from '../support/service.ts';
import { assertProblem } from './suite.ts';

describe('STRICT_QUERY=off', () => {
  it('ignores unknown parameters of reads, but still checks known fields', async (test) => {
    const { client } = await startApp(test, variant, {
      env: { STRICT_QUERY: 'off', ADMIN_TOKEN: 'a-token' },
    });
    for (const query of ['serach=x', 'constructor=x', 'priority_gte=9', 'id[]=1', 'q=x']) {
      for (const method of ['GET', 'HEAD']) {
        assert.equal((await client.request(method, `${LIST}?${query}`)).status, 200, query);
      }
      assert.equal((await client.request('HEAD', `${EVENTS}?${query}`)).status, 200, query);
      for (const method of ['DELETE', 'PATCH']) {
        const answer = await client.request(method, `${LIST}?${query}&search=x`);
        assertProblem(answer, 400, 'invalid-parameter');
      }
      const headers = { authorization: 'Bearer a-token' };
      const journal = await client.get(`/admin/requests?${query}`, headers);
      assertProblem(journal, 400, 'invalid-parameter');
    }
    for (const query of ['priority.foo=1', 'priority=x', 'limit=x', 'sort=x', 'where=x']) {
      assertProblem(await client.get(`${LIST}?${query}`), 400, 'invalid-parameter');
    }
    const headers = { authorization: 'Bearer a-token' };
    assert.equal((await client.get('/admin/requests?_=1', headers)).status, 200);
  });
});
