import assert from 'node:assert/strict';
import { it } from 'node:test';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { Client } from '../../../support/client.ts';
import { itemPath, LIST } from '../../../support/paths.ts';
import { serviceFor } from '../../../support/service.ts';

const FIRST_ID = 2n ** 53n + 1n;

it('an id of variant B above 2^53 keeps all its digits in storage, paths and JSON', async (test) => {
  const { baseUrl } = await serviceFor(test, variantB, { firstId: FIRST_ID });
  const client = new Client(baseUrl);
  test.after(() => client.close());
  const idOf = (json: string) => /"id":(\d+)/.exec(json)?.[1];

  for (const id of [FIRST_ID, FIRST_ID + 1n, FIRST_ID + 2n]) {
    const created = await client.post(LIST, { title: `number ${id}` });
    assert.equal(idOf(created.text), String(id));
    assert.equal(created.headers.location, itemPath(id));
  }

  const path = itemPath(FIRST_ID + 1n);
  assert.equal((await client.get(path)).json().title, `number ${FIRST_ID + 1n}`);
  assert.equal(idOf((await client.put(path, { priority: 1 })).text), String(FIRST_ID + 1n));
  const list = (await client.get(LIST)).text;
  assert.deepEqual(
    [...list.matchAll(/"id":(\d+)/g)].map(([, id]) => id),
    [FIRST_ID, FIRST_ID + 1n, FIRST_ID + 2n].map(String),
  );

  // As doubles, the adjacent ids would be the same number.
  assert.equal((await client.delete(path)).status, 204);
  assert.equal((await client.get(path)).status, 404);
  assert.equal((await client.get(itemPath(FIRST_ID))).status, 200);
  assert.equal((await client.get(itemPath(FIRST_ID + 2n))).status, 200);
});
