import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Route } from '../../../../../src/lib/http/core/request.ts';
import { valueResponse } from '../../../../../src/lib/http/core/response.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { assertProblem } from '../../../../api/suite.ts';
import { RawClient, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';
import { createRequest } from '../support/notes.ts';

const SECRET = 'the password is 12345';

/** A table whose writes all fail at the end, and a server in front of it. */
async function failing(test: Parameters<typeof serverFor>[0]) {
  const table = new Table({
    id: { kind: 'integer', identity: { from: 1, to: 1_000 } },
    title: { kind: 'text' },
  });
  table.insert({ title: 'kept' });
  const fail = (): never => {
    throw new Error(SECRET);
  };
  const routes: Route[] = [
    route('POST', '/api/notes', () =>
      table.transaction((): never => {
        table.insert({ title: 'new' });
        table.update(1, { title: 'changed' });
        return fail();
      }),
    ),
    route('GET', '/fails', fail),
    route('GET', '/fails-after-a-while', async () => {
      await turns(1);
      return fail();
    }),
    route('GET', '/works', () => valueResponse(200, {})),
  ];
  const { port, errors } = await serverFor(test, routes);
  const client = await RawClient.connect(port);
  test.after(() => client.destroy());
  return { table, errors, client };
}

describe('an unexpected error in an operation', () => {
  for (const request of [
    getRequest('/fails'),
    getRequest('/fails-after-a-while'),
    createRequest(),
  ]) {
    it(`${request.split(' HTTP')[0]}: 500, logged and rolled back`, async (test) => {
      const { table, errors, client } = await failing(test);
      const response = await client.send(request).next();
      assert(response);
      assertProblem(response, 500, 'internal-error');
      assert(!response.text.includes(SECRET));
      assert.match(String(errors), new RegExp(SECRET));
      assert.deepEqual([...table.cursor()], [{ id: 1, title: 'kept' }]);
      assert.equal((await client.send(getRequest('/works')).next())?.status, 200);
      assert.equal(table.insert({ title: 'next' }).id, 2);
    });
  }
});
