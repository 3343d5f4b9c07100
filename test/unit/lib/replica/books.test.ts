import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { Replica } from '../../../../src/lib/replica/index.ts';
import { Table } from '../../../../src/lib/table/index.ts';
import { fakeEtcd, until } from './support/replicas.ts';

const SCHEMA = {
  id: { kind: 'bigint', identity: { from: 1n, to: 2n ** 63n - 1n } },
  title: { kind: 'text' },
  pages: { kind: 'bigint', nullable: true },
} as const;

/** A replica of a list of books, whose first one it makes itself. */
function replicaOf(test: TestContext, url: string) {
  const table = new Table(SCHEMA);
  const makeRows = async () => {
    const replacement = table.replacement();
    const book = { title: 'The Art of Computer Programming', pages: 650n };
    return { rows: [replacement.insert(book)], idsAssigned: 1n };
  };
  const replica = new Replica(
    {
      etcd: { endpoints: [url] },
      ...{ prefix: '/books/', timeoutMs: 50_000 },
      identity: { variant: 'books', maxRows: 100, isMaxRowsGiven: false },
    },
    {
      onIncompatible: (error) => assert.fail(error),
      onUnavailable: () => {},
    },
    { schema: SCHEMA, table, makeRows },
  );
  test.after(() => replica.close());
  return { table, replica, makeRows };
}

it('any table with an id can be replicated', async (test) => {
  const { url } = await fakeEtcd(test);
  const [a, b] = [replicaOf(test, url), replicaOf(test, url)];
  await until('both are loaded', () => a.replica.generation !== '' && b.replica.generation !== '');
  const id = await a.replica.write(
    () => a.table.insert({ title: 'Transaction Processing', pages: null }),
    (book) => book.id,
  );
  assert.equal(id, 2n);
  const titles = () => b.table.search().map(({ title }) => title);
  assert.deepEqual(await b.replica.read(titles), [
    'The Art of Computer Programming',
    'Transaction Processing',
  ]);
  await b.replica.reset(b.makeRows);
  assert.deepEqual(await a.replica.read(() => a.table.get(1n)), {
    ...{ id: 1n, title: 'The Art of Computer Programming', pages: 650n },
  });
});
