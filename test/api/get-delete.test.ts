import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem, describeApi } from './suite.ts';

describeApi('getting and deleting an item', 'Operations', (api) => {
  it('deletes it, and returns 204 without content whether it existed or not', async () => {
    const { id } = await api.create();
    for (let times = 0; times < 2; times++) {
      const answer = await api.client.delete(api.itemPath(id));
      assert.equal(answer.status, 204);
      assert.equal(answer.text, '');
      assert.equal(answer.headers['content-length'], undefined);
    }
    const problem = assertProblem(await api.client.get(api.itemPath(id)), 404, 'not-found');
    assert.equal(problem.detail, `Todo with id ${id} was not found`);
  });

  it('looks up every id in range', async () => {
    const last =
      api.variant.fields.id.kind === 'integer'
        ? [2147483647, -2147483648]
        : ['9223372036854775807', '-9223372036854775808'];
    for (const id of ['0', '-0', '-1', '2147483647', ...last]) {
      const problem = assertProblem(await api.client.get(api.itemPath(id)), 404, 'not-found');
      assert.equal(problem.instance, api.itemPath(id));
      assert.equal((await api.client.delete(api.itemPath(id))).status, 204);
    }
  });

  it('rejects a text that is not an id of this variant', async () => {
    const tooLarge =
      api.variant.fields.id.kind === 'integer'
        ? ['2147483648', '-2147483649', '9223372036854775807']
        : [];
    for (const id of [
      ...tooLarge,
      ...['9223372036854775808', '-9223372036854775809', '99999999999999999999999999'],
      ...['abc', '+5', '007', '-01', '-', '0x1', '1e3', '5.0', '5%20', '1%2F2', '%31'],
      ...['%', '%zz', '%ed%a0%80', '%00', '१'],
    ]) {
      const path = api.itemPath(encodeURI(id).replaceAll('%25', '%'));
      assertProblem(await api.client.get(path), 400, 'invalid-id');
      assertProblem(await api.client.put(path, {}), 400, 'invalid-id');
      assertProblem(await api.client.delete(path), 400, 'invalid-id');
    }
  });

  it('names a text that is not an id, such as that of a missing value', async () => {
    const bits = api.variant.fields.id.kind === 'integer' ? 32 : 64;
    for (const method of ['PUT', 'PATCH']) {
      const answer = await api.send(method, api.itemPath('undefined'), '{"title":"x"}');
      const { detail } = assertProblem(answer, 400, 'invalid-id');
      const form = `a decimal ${bits}-bit integer without leading zeros`;
      assert.equal(detail, `The id must be ${form}, not "undefined"`);
    }
  });
});
