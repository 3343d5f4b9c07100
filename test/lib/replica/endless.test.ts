import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clock } from '../../../src/lib/clock.ts';
import { EtcdError } from '../../../src/lib/replica/errors.ts';
import { EtcdClient } from '../../../src/lib/replica/etcd/client.ts';
import { watch } from '../../../src/lib/replica/etcd/watch.ts';

const MIB = 1024 * 1024;

/** What a replica takes at most of one answer, in MiB. */
const MAX_MIB = 64;

/** A client of something that sends chunks, whatever is asked. */
function clientOf(body: () => AsyncIterable<Uint8Array>): EtcdClient {
  const connect = () => ({
    post: async () => Object.assign(body(), { statusCode: 200 }),
    close: () => {},
  });
  return new EtcdClient({ endpoints: ['http://not-etcd'], connect });
}

/** One that sends on and on, and how much it has sent, in MiB. */
function endless() {
  const sent = { mib: 0 };
  const chunk = Buffer.alloc(MIB, ' ');
  async function* body() {
    for (; sent.mib < 10 * MAX_MIB; sent.mib++) yield chunk;
  }
  return { sent, client: clientOf(body) };
}

const isUnknown = (error: unknown) => error instanceof EtcdError && error.outcome === 'unknown';

describe('an answer without an end', () => {
  it('is no answer, whatever was asked', async () => {
    const { sent, client } = endless();
    const options = { deadline: clock.now() + 60_000, attemptMs: 60_000, atMostOnce: true };
    await assert.rejects(client.txn({ success: [] }, options), isUnknown);
    assert.equal(sent.mib, MAX_MIB);
  });

  it('ends a watch', async () => {
    const { sent, client } = endless();
    const pieces = watch(client, '/todo-service/', 1, new AbortController());
    await assert.rejects(pieces.next(), isUnknown);
    assert.equal(sent.mib, MAX_MIB);
  });
});

describe('a watch that gives little', () => {
  const CREATED = '{"result":{"created":true}}\n';
  /** How many pieces there are of what comes after the first message. */
  const piecesOf = async (chunks: readonly string[]) => {
    const body = async function* () {
      for (const chunk of [CREATED, ...chunks]) yield Buffer.from(chunk);
    };
    const pieces = watch(clientOf(body), '/todo-service/', 1, new AbortController());
    await pieces.next();
    let count = 0;
    try {
      for await (const events of pieces) count += events.length + 1;
    } catch (error) {
      assert(isUnknown(error), String(error));
    }
    return count;
  };

  it('gives no sign of life, byte by byte or without events', async () => {
    assert.equal(await piecesOf(Array.from({ length: 10_000 }, () => '{')), 0);
    assert.equal(await piecesOf(Array.from({ length: 100 }, () => '{"result":{}}\n')), 0);
  });

  it('gives one with each 16 KiB of a long message', async () => {
    assert.equal(await piecesOf(Array.from({ length: 40 }, () => ' '.repeat(1024))), 2);
  });
});
