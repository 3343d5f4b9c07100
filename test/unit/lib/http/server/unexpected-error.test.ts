import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertProblem } from '../../../../api/suite.ts';
import { RawClient, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

const SECRET = 'the password is 12345';

const fail = (): never => {
  throw new Error(SECRET);
};

describe('an unexpected error in an operation', () => {
  for (const path of ['/fails', '/fails-after-a-while']) {
    it(`${path}: 500 without details, which are reported, and the connection goes on`, async (test) => {
      const { port, errors } = await serverFor(test, [
        route('GET', '/fails', fail),
        route('GET', '/fails-after-a-while', () => turns(1).then(fail)),
        route('GET', '/works', () => ({ status: 204 })),
      ]);
      const client = await RawClient.connect(port);
      test.after(() => client.destroy());
      const response = await client.send(getRequest(path)).next();
      assert(response);
      assertProblem(response, 500, 'internal-error');
      assert(!response.text.includes(SECRET));
      assert.match(String(errors), new RegExp(SECRET));
      assert.equal((await client.send(getRequest('/works')).next())?.status, 204);
    });
  }
});
