import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Api, assertProblem, describeApi, uniqueWord } from './suite.ts';

/** An item, its path, and its entity tag. */
async function tagged(api: Api) {
  const todo = await api.create({ title: uniqueWord() });
  const path = api.itemPath(todo.id);
  return { todo, path, etag: await tagOf(api, path) };
}

async function tagOf(api: Api, path: string): Promise<string> {
  const { etag } = (await api.client.get(path)).headers;
  assert(typeof etag === 'string', `${path} has no ETag`);
  return etag;
}

describeApi('entity tags', 'Conditional requests', (api) => {
  it('are strong, and the same in every response with the item', async () => {
    const created = await api.client.post(api.collection, { title: 'x' });
    const { etag, location } = created.headers;
    assert.match(String(etag), /^"[^"]+"$/);
    const path = String(location);
    assert.equal(await tagOf(api, path), etag);
    assert.equal((await api.client.request('HEAD', path)).headers.etag, etag);
    // A later commit of another item, whose number these tags must not have.
    await api.create();
    assert.equal((await api.client.put(path, {})).headers.etag, etag);
    assert.equal((await api.client.patch(path, {})).headers.etag, etag);
    const changed = await api.client.put(path, { title: 'y' });
    assert.notEqual(changed.headers.etag, etag);
    assert.equal(await tagOf(api, path), changed.headers.etag);
    const back = await api.client.put(path, { title: 'x' });
    assert.notEqual(back.headers.etag, etag, 'a tag says which write made the item');
  });

  it('of a list change with every write, and only then', async () => {
    const { path } = await tagged(api);
    const query = `${api.collection}?search=${uniqueWord()}`;
    for (const target of [api.collection, query, `${api.collection}?limit=1`]) {
      const before = await tagOf(api, target);
      await api.client.put(path, {});
      await api.client.delete(api.itemPath(0));
      await api.client.post(api.collection, {});
      assert.equal(await tagOf(api, target), before);
      await api.client.put(path, { title: uniqueWord() });
      assert.notEqual(await tagOf(api, target), before);
    }
  });

  it('of lists with different queries differ', async () => {
    const long = `?search=${'x'.repeat(1000)}`;
    const short = ['', '?limit=1', '?limit=2', '?search=none', '?sort=-id'];
    const strange = ['?search=a"b', '?search=a,b', '?search=a"c', '?search=%22', '?search=a\\b'];
    const queries = [...short, ...strange, long, `${long}y`];
    const tags = await Promise.all(queries.map((query) => tagOf(api, api.collection + query)));
    assert.equal(new Set(tags).size, queries.length);
    for (const [i, tag] of tags.entries()) {
      assert.match(tag, /^"[\x21\x23-\x7e]{1,150}"$/);
      const headers = { 'If-None-Match': `"x", ${tag}` };
      const path = `${api.collection}${queries[i]}`;
      assert.equal((await api.client.request('GET', path, { headers })).status, 304, path);
    }
  });

  it('are absent: probes and metrics have no-store, the API document no-cache', async () => {
    for (const [target, control] of [
      ['/livez', 'no-store'],
      ['/readyz', 'no-store'],
      ['/metrics', 'no-store'],
      ['/openapi.json', 'no-cache'],
    ] as const) {
      assert.equal((await api.client.get(target)).headers['cache-control'], control, target);
    }
  });
});

describeApi('If-None-Match', 'Conditional requests', (api) => {
  it('with the current tag: 304 without content, with the ETag', async () => {
    const { path } = await tagged(api);
    const { collection } = api;
    for (const target of [path, collection, `${collection}?search=x`, `${collection}?limit=1`]) {
      const etag = await tagOf(api, target);
      for (const value of [etag, `W/${etag}`, `"a", ${etag}`, `, ${etag} ,"b"`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await api.client.request(method, target, {
            headers: { 'if-none-match': value },
          });
          assert.equal(answer.status, 304, `${method} ${target} ${value}`);
          assert.equal(answer.text, '');
          assert.equal(answer.headers.etag, etag);
          assert.equal(answer.headers['cache-control'], 'no-cache');
          assert.equal(answer.headers['content-type'], undefined);
        }
      }
    }
  });

  it('with other tags, or malformed, is ignored on GET', async () => {
    const { path, etag } = await tagged(api);
    const malformed = ['', ',', etag.slice(0, -1), etag.slice(1, -1), 'W/*', `${etag} x`];
    for (const value of ['"other"', ...malformed]) {
      const answer = await api.client.get(path, { 'if-none-match': value });
      assert.equal(answer.status, 200, value);
      assert.equal(answer.headers.etag, etag);
    }
  });

  it('with the current tag is ignored if If-Match fails', async () => {
    const { path } = await tagged(api);
    for (const target of [path, api.collection, `${api.collection}?limit=1`]) {
      const headers = { 'if-none-match': await tagOf(api, target), 'if-match': '"other"' };
      assertProblem(await api.client.get(target, headers), 412, 'precondition-failed');
    }
  });

  it('that matches on PUT, PATCH and DELETE: 412, and nothing changes', async () => {
    const { path, etag, todo } = await tagged(api);
    for (const value of [etag, `W/${etag}`, '*']) {
      const headers = { 'if-none-match': value };
      const put = await api.send('PUT', path, '{"title":"changed"}', headers);
      assertProblem(put, 412, 'precondition-failed');
      const patch = await api.client.patch(path, { title: 'changed' }, headers);
      assertProblem(patch, 412, 'precondition-failed');
      assertProblem(await api.client.delete(path, headers), 412, 'precondition-failed');
    }
    assert.deepEqual((await api.client.get(path)).json(), todo);
    const other = { 'if-none-match': '"other"' };
    assert.equal((await api.send('PUT', path, '{"title":"changed"}', other)).status, 200);
    assert.equal((await api.client.delete(path, other)).status, 204);
    assert.equal((await api.client.delete(path, { 'if-none-match': '*' })).status, 204);
  });
});

describeApi('If-Match', 'Conditional requests', (api) => {
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const body = method === 'DELETE' ? '' : '{"title":"changed"}';

    it(`with the current tag lets ${method} through`, async () => {
      for (const form of [
        (etag: string) => etag,
        (etag: string) => `"a,b" , ${etag}`,
        (etag: string) => `,, ${etag},`,
        () => '*',
      ]) {
        const { path, etag } = await tagged(api);
        const answer = await api.send(method, path, body, { 'if-match': form(etag) });
        assert.equal(answer.status, method === 'DELETE' ? 204 : 200, form(etag));
      }
    });

    it(`with another tag rejects ${method}: 412, and nothing changes`, async () => {
      const { path, etag, todo } = await tagged(api);
      for (const value of ['"other"', `W/${etag}`, '"a", "b"', '""', `"${etag.slice(1, -1)}x"`]) {
        const answer = await api.send(method, path, body, { 'if-match': value });
        assertProblem(answer, 412, 'precondition-failed');
      }
      assert.deepEqual((await api.client.get(path)).json(), todo);
      await api.client.put(path, { priority: 1 });
      const late = await api.send(method, path, body, { 'if-match': etag });
      assertProblem(late, 412, 'precondition-failed');
      assert.equal((await api.client.get(path)).json().priority, 1);
    });

    it(`that is malformed is 400 before any other error, on ${method}`, async () => {
      const { path, todo } = await tagged(api);
      for (const value of ['', 'x', '"x", *']) {
        for (const target of [path, api.itemPath(0), api.itemPath('abc')]) {
          for (const content of [body, '{"title":""}', '{']) {
            const answer = await api.send(method, target, content, { 'if-match': value });
            assertProblem(answer, 400, 'invalid-precondition');
          }
        }
      }
      assert.deepEqual((await api.client.get(path)).json(), todo);
    });
  }

  it('for a missing item: 404 on PUT and PATCH, 412 on DELETE', async () => {
    const { path } = await tagged(api);
    await api.client.delete(path);
    for (const value of ['*', '"x"']) {
      const headers = { 'if-match': value };
      assertProblem(await api.send('PUT', path, '{}', headers), 404, 'not-found');
      assertProblem(await api.client.patch(path, {}, headers), 404, 'not-found');
      assertProblem(await api.client.delete(path, headers), 412, 'precondition-failed');
    }
    assert.equal((await api.client.delete(path)).status, 204);
  });

  it('that fails takes precedence over validation', async () => {
    const { path } = await tagged(api);
    for (const body of ['{"title":""}', '{"priority":9}', '{']) {
      const answer = await api.send('PUT', path, body, { 'if-match': '"other"' });
      assertProblem(answer, 412, 'precondition-failed');
    }
  });

  it('lets only one of two writers win', async () => {
    const { path, etag } = await tagged(api);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        api.send('PUT', path, JSON.stringify({ title: `writer ${i}` }), { 'if-match': etag }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 412).length, 19);
  });

  it('is ignored on POST, whether it can be read or not, like If-None-Match', async () => {
    for (const headers of [
      { 'if-match': '"other"' },
      { 'if-match': 'x' },
      { 'if-none-match': '*' },
    ]) {
      const answer = await api.send('POST', api.collection, '{"title":"x"}', headers);
      assert.equal(answer.status, 201);
    }
  });
});

/** The maximum number of retries after writes of other clients. */
const MAX_TRIES = 100;

describeApi('a write by condition', 'Several items at once', (api) => {
  for (const [method, count] of [
    ['DELETE', '{"deleted":1}'],
    ['PATCH', '{"updated":1}'],
  ] as const) {
    it(`by ${method} compares tags with those of GET`, async () => {
      const word = await api.createAll(1, 2);
      const target = `${api.collection}?search=${word}&priority.gt=1`;
      const body = method === 'PATCH' ? '{"priority":5}' : '';
      const write = (headers: Record<string, string>) => api.send(method, target, body, headers);
      const tag = await tagOf(api, target);
      for (const headers of [{ 'if-match': '"another"' }, { 'if-none-match': '*' }]) {
        assertProblem(await write(headers), 412, 'precondition-failed');
      }
      await api.create();
      let answer = await write({ 'if-match': tag });
      assertProblem(answer, 412, 'precondition-failed');
      for (let tries = 0; tries < MAX_TRIES && answer.status === 412; tries++) {
        answer = await write({ 'if-match': await tagOf(api, target) });
      }
      assert.equal(answer.text, count);
      const left = await api.list(`?search=${word}`);
      assert.deepEqual(
        left.map(({ priority }) => priority),
        method === 'PATCH' ? [1, 5] : [1],
      );
    });
  }
});
