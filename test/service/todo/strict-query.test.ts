import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { variantB as variant } from '../../../src/service/todo/variant-b.ts';
import { assertProblem } from '../../api/suite.ts';
import { Client } from '../../support/client.ts';
import { LIST } from '../../support/paths.ts';
import { startApp } from '../../support/service.ts';

describe('STRICT_QUERY=true', () => {
  it('rejects unknown parameters, even if a request prefers otherwise', async (test) => {
    const { baseUrl } = await startApp(test, variant, { env: { STRICT_QUERY: 'true' } });
    const client = new Client(baseUrl);
    test.after(() => client.close());
    for (const prefer of ['', 'handling=lenient', 'handling=strict']) {
      const answer = await client.get(`${LIST}?serach=x`, { prefer });
      const { detail } = assertProblem(answer, 400, 'invalid-parameter');
      assert.match(detail, /did you mean search\?/);
    }
    const ofObject = await client.get(`${LIST}?constructor=x`);
    assert.match(assertProblem(ofObject, 400, 'invalid-parameter').detail, /is not a parameter$/);
    const query = 'search=x&sort=id&limit=1&offset=0&priority.gte=1&id.in=1,2';
    assert.equal((await client.get(`${LIST}?${query}`)).status, 200);
    assert.equal((await client.get(LIST)).headers['preference-applied'], undefined);
  });
});
