import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { configuredApp } from '../../src/service/app.ts';
import { AUTHORIZED, startAdmin, TOKEN } from '../support/admin.ts';
import { clientFor } from '../support/client.ts';
import { EventClient } from '../support/events.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LIST } from '../support/paths.ts';
import type { Todo } from '../support/requests.ts';
import { configOf, VARIANTS } from '../support/service.ts';
import { assertProblem, violationsIn } from './suite.ts';

/** Starts a service with a seed in a file, which `write` replaces. */
async function startWithFile(test: TestContext, text: string, env: Record<string, string> = {}) {
  const file = join(temporaryFolder(), 'seed.json');
  const write = (content: string) => writeFileSync(file, content);
  write(text);
  const config = configOf({ SEED_FILE: file, ADMIN_TOKEN: TOKEN, ...env });
  const app = await configuredApp(config);
  const { port } = await app.listen(0, '127.0.0.1');
  const client = clientFor(test, `http://127.0.0.1:${port}`);
  test.after(() => app.stop(0));
  const reset = (basePath = '') =>
    client.request('POST', `${basePath}/admin/reset`, { headers: AUTHORIZED });
  const put = (name: string) =>
    client.request('PUT', `/admin/lists/${name}`, { headers: AUTHORIZED });
  const todos = async (basePath = '') => (await client.get(basePath + LIST)).json<Todo[]>();
  return { client, write, remove: () => rmSync(file), reset, put, todos };
}

describe('a reset to the seed file', () => {
  it('reads it again', async (test) => {
    const { write, reset, todos } = await startWithFile(test, '[{"title":"one"}]');
    write('{"version":1,"todos":[{"title":"two","id":5},{"title":"three"}]}');
    assert.equal((await todos())[0]?.title, 'one');
    assert.equal((await reset()).status, 204);
    assert.deepEqual(
      (await todos()).map(({ id, title }) => [id, title]),
      [
        [5, 'two'],
        [6, 'three'],
      ],
    );
  });

  it('gets 409 with the line of the start if it cannot be used, and changes nothing', async (test) => {
    const service = await startWithFile(test, '[{"title":"one"}]', { MAX_ROWS: '2' });
    const { client, write, remove, reset, todos } = service;
    await client.post(LIST, { title: 'kept' });
    const sentence = /^the seed file \S+ cannot be used: .+$/;
    for (const [content, reason] of [
      ['[', /it is not JSON/],
      [
        JSON.stringify(Array(12).fill({ titel: 'x' })),
        /: 12 violations: \(1\) #\/0\/titel is unknown; did you mean title\? \(2\) .*\(10\) #\/9\/titel [^#]*$/,
      ],
      ['{}', /it must be an array of items/],
      [
        '[{"title":"a"},{"title":"b"},{"title":"c"}]',
        /it must fit into the list, which holds at most 2 items \(MAX_ROWS\)$/,
      ],
    ] as const) {
      write(content);
      const { detail } = assertProblem(await reset(), 409, 'seed-unusable');
      assert.match(detail, sentence);
      assert.match(detail, reason);
      await assert.rejects(
        () => configuredApp(configOf({ SEED_FILE: detail.split(' ')[3] ?? '', MAX_ROWS: '2' })),
        {
          message: detail,
        },
      );
    }
    remove();
    assert.match(assertProblem(await reset(), 409, 'seed-unusable').detail, /no such file/);
    assert.equal((await todos()).length, 2);
  });

  it('of a list with a name gets 507 if the items do not fit, as making one does', async (test) => {
    const service = await startWithFile(test, '[{"title":"one"}]', { MAX_BYTES: '6000000' });
    const { write, reset, put, todos } = service;
    assert.equal((await put('anna')).status, 201);
    const items = Array.from({ length: 100 }, () => ({ title: 'x', description: 'y'.repeat(900) }));
    write(JSON.stringify(items));
    for (const answer of [await put('ben'), await put('anna'), await reset('/lists/anna')]) {
      assertProblem(answer, 507, 'store-full');
    }
    assert.equal((await todos('/lists/anna')).length, 1);
    assert.equal((await reset()).status, 204);
    assert.equal((await todos()).length, 100);
    write('[');
    for (const answer of [await put('ben'), await put('anna'), await reset('/lists/anna')]) {
      assertProblem(answer, 409, 'seed-unusable');
    }
    assert.equal((await todos('/lists/anna')).length, 1);
  });
});

for (const variant of VARIANTS) {
  describe(`a reset to given items, variant ${variant.name}`, () => {
    it('has exact ids around 2^53, wherever they are sent', async (test) => {
      if (variant.fields.id.identity.to < 2n ** 53n) return test.skip('ids have 32 bits');
      const { admin, adminText, client, baseUrl } = await startAdmin(test, variant);
      const seed = '[{"title":"x","id":9007199254740990}]';
      assert.equal((await adminText('POST', '/admin/reset', seed)).status, 204);
      const digits = ['9007199254740991', '9007199254740992', '9007199254740993'];
      const events = await EventClient.open(baseUrl);
      test.after(() => events.close());
      await events.next();
      for (const id of digits) {
        const created = await client.post(LIST, { title: 'x' });
        assert.equal(created.headers.location, `${LIST}/${id}`);
        assert(created.text.startsWith(`{"id":${id},`), created.text);
        assert.equal((await events.next()).data, created.text);
      }
      for (const id of digits) {
        const changed = await client.put(`${LIST}/${id}`, { title: id });
        assert(changed.text.startsWith(`{"id":${id},"title":"${id}"`), changed.text);
        const { headers } = await client.get(`${LIST}/${id}`);
        assert.equal(headers.etag, changed.headers.etag);
        assert.equal((await events.next()).data, changed.text);
      }
      const [, middle = ''] = digits;
      assert.equal((await client.delete(`${LIST}/${middle}`)).status, 204);
      assert.equal((await events.next()).data, `{"id":${middle}}`);
      assert.doesNotMatch((await client.get(LIST)).text, new RegExp(`"id":${middle},`));
      assert.equal((await admin('POST', '/admin/reset')).status, 204);
    });

    it('keeps all digits of ids, and ends with the last one of the range', async (test) => {
      const { admin, adminText, client } = await startAdmin(test, variant);
      const last = BigInt(variant.fields.id.identity.to);
      const reset = (items: string) => adminText('POST', '/admin/reset', `[${items}]`);
      const item = (id: bigint) => `{"title":"x","id":${id}}`;
      assert.equal((await reset([item(last - 1n), item(5n)].join())).status, 204);
      assert.match((await client.get(LIST)).text, new RegExp(`"id":5,.*"id":${last - 1n},`));
      assert.match(
        (await client.get(`${LIST}/${last - 1n}`)).text,
        new RegExp(`"id":${last - 1n},`),
      );
      assert.equal((await client.get(`${LIST}/${last - 2n}`)).status, 404);
      const batch = await client.post(`${LIST}/batch`, [{ title: 'y' }, { title: 'z' }]);
      const { detail } = assertProblem(batch, 507, 'ids-exhausted');
      assert(
        detail.startsWith(`Too few ids are left for this request, the largest is ${last};`),
        detail,
      );
      const next = await client.post(LIST, { title: 'y' });
      assert.equal(next.headers.location, `${LIST}/${last}`);
      assertProblem(await client.post(LIST, { title: 'z' }), 507, 'ids-exhausted');
      const changed = await client.put(`${LIST}/${last}`, { title: 'z' });
      assert.match(changed.text, new RegExp(`"id":${last},"title":"z"`));
      assert.equal((await client.delete(`${LIST}/${last - 1n}`)).status, 204);
      assert.equal((await client.get(`${LIST}/${last}`)).text, changed.text);
      assertProblem(await client.post(LIST, { title: 'z' }), 507, 'ids-exhausted');
      const more = await reset(`${item(last)},{"title":"y"}`);
      assert.deepEqual(violationsIn(more), ['#/1/id maximum']);
      assert.equal((await admin('POST', '/admin/reset')).status, 204);
    });
  });
}
