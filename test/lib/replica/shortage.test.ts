import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommitWriter } from '../../../src/lib/replica/write/commit-writer.ts';
import { assertProblem } from '../../api/suite.ts';
import { LIST } from '../../support/paths.ts';
import { turns } from '../../support/raw.ts';
import { create, fakeEtcd, startReplica, titles, waitPatiently } from './support/replicas.ts';

const CONTENT_BYTES = 60_000;
const MAX_CLIENT_BYTES = 10 * CONTENT_BYTES;

describe('writes that wait for a silent etcd, and take more memory than clients may', () => {
  waitPatiently();

  it('are refused: the oldest first, and those that have been sent last', async (test) => {
    const { url } = await fakeEtcd(test);
    const http = { maxClientBytes: MAX_CLIENT_BYTES };
    const { client, replica } = await startReplica(test, url, { http });
    await create(client, 'first');
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { write } = CommitWriter.prototype;
    let sent = () => {};
    const isSent = new Promise<void>((resolve) => {
      sent = resolve;
    });
    test.mock.method(CommitWriter.prototype, 'write', async function (this: CommitWriter, commit) {
      sent();
      await answered;
      return write.call(this, commit);
    } satisfies typeof write);

    const filler = 'x'.repeat(CONTENT_BYTES);
    const post = (title: string) => client.post(LIST, { title, filler });
    const codeOf = async (response: ReturnType<typeof post>) => {
      const { status, text } = await response;
      return status === 201 ? '201' : String(JSON.parse(text).code);
    };
    const responses = [codeOf(post('in doubt'))];
    await isSent;
    for (let i = 0; i < 30; i++) {
      responses.push(codeOf(post(`${i}`)));
      await turns(20);
    }
    await turns(50);
    answer();
    const codes = await Promise.all(responses);
    assert.equal(codes[0], '201', 'others are refused first');
    const refused = codes.lastIndexOf('store-unavailable');
    assert(refused > 15 && refused < 30, `${refused} are refused`);
    assert.deepEqual(
      codes.slice(1),
      codes.slice(1).map((_, i) => (i < refused ? 'store-unavailable' : '201')),
    );
    const stored = await titles(client);
    assert.equal(stored.length, 1 + codes.filter((code) => code === '201').length);
    assert.equal(replica.refuseWaiting(), false);
  });

  it('have an unknown outcome if they have been sent, and are refused after reads', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const { client, replica } = await startReplica(test, url);
    await create(client, 'first');
    const { revision } = etcd.store;
    const isSent = new Promise<void>((resolve) => {
      etcd.faults.txn = () => {
        etcd.faults.isSilent = true;
        resolve();
        return 'lose-request';
      };
    });
    const post = client.post(LIST, { title: 'x' });
    await isSent;
    const read = Promise.resolve(replica.read(() => 1));
    assert(replica.refuseWaiting());
    await assert.rejects(read, { code: 'store-unavailable' });
    assert(replica.refuseWaiting());
    assertProblem(await post, 503, 'outcome-unknown');
    assert.equal(replica.refuseWaiting(), false);
    assert.equal(etcd.store.revision, revision);
  });
});
