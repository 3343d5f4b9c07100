import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StoreError } from '../../../../src/lib/replica/errors.ts';
import { CommitWriter } from '../../../../src/lib/replica/write/commit-writer.ts';
import { assertProblem } from '../../../api/suite.ts';
import { itemPath, LIST } from '../../../support/paths.ts';
import { fakeEtcd, startReplica, titles, waitPatiently } from './support/replicas.ts';

const HEADERS = { 'content-type': 'application/json' };

// One after the other, because a test replaces a method for all replicas of the process.
describe('several items at once', () => {
  waitPatiently();

  it('are created in one commit, or not at all', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const [a, b] = [await startReplica(test, url), await startReplica(test, url)];
    await titles(a.client);
    const { commits } = etcd;
    const body = Array.from({ length: 100 }, (_, i) => ({ title: `${i}` }));
    const created = await a.client.post(`${LIST}/batch`, body);
    assert.equal(created.status, 201, created.text);
    assert.equal(etcd.commits, commits + 1);
    assert.equal((await b.client.get(LIST)).text, created.text);
    const broken = await b.client.post(`${LIST}/batch`, [...body.slice(1), { title: '' }]);
    assertProblem(broken, 400, 'validation-failed');
    assert.equal((await titles(a.client)).length, 100);
  });

  it('are patched by condition in as many commits as it takes', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const seed = Array.from({ length: 250 }, (_, i) => ({ title: `${i}` }));
    const a = await startReplica(test, url, { seed });
    assert.equal((await titles(a.client)).length, 250);
    const b = await startReplica(test, url);
    const tag = (await a.client.get(itemPath(7))).headers.etag;
    await a.client.put(itemPath(8), { completed: true });
    const eighth = (await a.client.get(itemPath(8))).headers.etag;
    const { commits } = etcd;
    const patch = (query: string, value: unknown, headers = {}) =>
      b.client.request('PATCH', `${LIST}?${query}`, {
        headers: { ...HEADERS, ...headers },
        body: JSON.stringify(value),
      });
    const patched = await patch('where={}', { completed: true });
    assert.deepEqual([patched.status, patched.text], [200, '{"updated":250}']);
    assert.equal(etcd.commits, commits + 2);
    assert.equal((await a.client.get(`${LIST}?completed=false`)).text, '[]');
    assert.notEqual((await a.client.get(itemPath(7))).headers.etag, tag);
    assert.equal((await a.client.get(itemPath(8))).headers.etag, eighth, 'it was as it is');
    const late = await patch('id.gt=0', { priority: 9 }, { 'if-match': '"another"' });
    assertProblem(late, 412, 'precondition-failed');
    assertProblem(await patch('id.gt=0', { priority: 9 }), 400, 'validation-failed');
    assertProblem(await patch('where={"and":[]}', { priority: 1 }), 400, 'invalid-parameter');
  });

  it('count as a write of unknown outcome if only some have been patched', async (test) => {
    const { url } = await fakeEtcd(test);
    const seed = Array.from({ length: 150 }, (_, i) => ({ title: `${i}` }));
    const { client, replica } = await startReplica(test, url, { seed });
    await titles(client);
    const { write } = CommitWriter.prototype;
    let writes = 0;
    test.mock.method(CommitWriter.prototype, 'write', async function (this: CommitWriter, commit) {
      if (++writes === 2) throw new StoreError('it is full');
      return write.call(this, commit);
    } satisfies typeof write);
    const options = { headers: HEADERS, body: '{"priority":1}' };
    const patched = await client.request('PATCH', `${LIST}?id.gt=0`, options);
    assertProblem(patched, 503, 'outcome-unknown');
    assert.match(patched.text, /at least 126 and at most 126 /);
    assert.equal(replica.stats()?.unknownOutcomes, 1);
  });
});
