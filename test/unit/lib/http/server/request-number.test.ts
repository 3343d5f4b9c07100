import assert from 'node:assert/strict';
import { it } from 'node:test';
import { jsonResponse } from '../../../../../src/lib/http/core/response.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { rawClientFor } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

it('a request is numbered when it is taken up, not while it waits behind another', async (test) => {
  let respond = () => {};
  const slow = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const { server, port } = await serverFor(test, [
    route('GET', '/slow', async ({ number }) => {
      await slow;
      return jsonResponse(200, byteString(`${number}`));
    }),
    route('GET', '/now', ({ number }) => jsonResponse(200, byteString(`${number}`))),
  ]);
  const [one, other] = [await rawClientFor(test, port), await rawClientFor(test, port)];
  assert.equal(server.lastRequestNumber, 0);
  await one.sendApart(getRequest('/slow') + getRequest('/now'));
  assert.equal((await other.send(getRequest('/now')).next())?.text, '2');
  respond();
  const numbers = (await one.take(2)).map(({ text }) => text);
  assert.deepEqual(numbers, ['1', '3']);
  assert.equal(server.lastRequestNumber, 3);
});
