import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byteString } from '../../src/http/byte-string.ts';
import type { Route } from '../../src/http/route.ts';
import { Table } from '../../src/table/table.ts';
import { assertProblem } from '../api/suite.ts';
import { createRequest, getRequest } from '../support/edge.ts';
import { RawClient } from '../support/raw.ts';
import { serverFor } from '../support/server.ts';

const SECRET = 'the password is 12345';

/** A table whose writes all fail in the end, and a server before it. */
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
    {
      method: 'POST',
      path: '/api/todos',
      takesBody: true,
      handle: () =>
        table.transaction((): never => {
          table.insert({ title: 'new' });
          table.update(1, { title: 'changed' });
          return fail();
        }),
    },
    { method: 'GET', path: '/fails', handle: fail },
    { method: 'GET', path: '/fails-after-a-while', isLong: true, handle: fail },
    { method: 'GET', path: '/works', handle: () => ({ status: 200, body: byteString('{}') }) },
  ];
  const { port, faults } = await serverFor(test, routes);
  const client = await RawClient.connect(port);
  test.after(() => client.destroy());
  return { table, faults, client };
}

describe('A fault in an operation', () => {
  for (const request of [
    getRequest('/fails'),
    getRequest('/fails-after-a-while'),
    createRequest(),
  ]) {
    it(`${request.split(' HTTP')[0]}: 500 without its details, which are logged; all is rolled back`, async (test) => {
      const { table, faults, client } = await failing(test);
      const response = await client.send(request).next();
      assert(response);
      assertProblem(response, 500, 'internal-error');
      assert(!response.text.includes(SECRET));
      assert.match(String(faults), new RegExp(SECRET));
      assert.deepEqual([...table.cursor()], [{ id: 1, title: 'kept' }]);
      assert.equal((await client.send(getRequest('/works')).next())?.status, 200);
      assert.equal(table.insert({ title: 'next' }).id, 2);
    });
  }
});
