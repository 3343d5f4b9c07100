import assert from 'node:assert/strict';
import { it } from 'node:test';
import { EtcdClient } from '../../../../src/lib/replica/etcd/client.ts';
import { ResponseStream } from '../../../system/simulation/network/response-stream.ts';

it('a watch of another cluster ends before its events count', async () => {
  const messages: string[] = [];
  let cluster = '16';
  const connect = () => ({
    post: async (path: string) => {
      const header = { cluster_id: cluster, revision: '1' };
      const answer = path === '/v3/watch' ? { result: { header, created: true } } : { header };
      const response = new ResponseStream(200);
      response.push(Buffer.from(`${JSON.stringify(answer)}\n`));
      response.end();
      return response;
    },
    close: () => {},
  });
  const client = new EtcdClient({ endpoints: ['http://etcd'], connect }, (message) =>
    messages.push(message),
  );
  const watch = () => client.watch('/x/', 2, new AbortController());
  await client.range({});
  assert.deepEqual((await watch().next()).value, []);
  cluster = '255';
  const message = 'http://etcd is of another cluster of etcd: ff, not 10';
  for (let i = 0; i < 2; i++) await assert.rejects(watch().next(), { message, outcome: 'unknown' });
  assert.deepEqual(messages, [message], 'it is reported once');
});
