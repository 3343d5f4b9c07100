import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import type { Schema } from '../../../src/table/schema/column.ts';
import { PAGE_SIZE } from '../../../src/table/storage/page.ts';
import { Table } from '../../../src/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text', index: 'substring' },
} as const satisfies Schema;

function filled(rows: number) {
  const table = new Table(schema, { schedule: () => {} });
  for (let i = 1; i <= rows; i++) table.insert({ title: `Title ${i}` });
  const kept = () => table.stats().bytes.snapshots;
  return { table, kept };
}

describe('what snapshots keep', () => {
  test('is nothing until something is written, and nothing after they are closed', () => {
    const { table, kept } = filled(2000);
    const snapshot = table.snapshot();
    assert.equal(kept(), 0);
    table.update(1, { title: 'changed' });
    const one = kept();
    assert.ok(one > 8 * PAGE_SIZE && one < 20_000, `a page and a row: ${one}`);
    table.update(1, { title: 'changed again' });
    assert.equal(kept(), one, 'what came after the snapshot is not kept for it');
    table.update(2, { title: 'changed' });
    assert.ok(kept() > one && kept() < one + 300, 'a row of a page that is kept already');
    table.delete(2000);
    assert.ok(kept() > 2 * one - 500, 'another page');
    snapshot.close();
    assert.equal(kept(), 0);
    const { rows } = table.stats().bytes;
    table.update(700, { title: 'Title 700' });
    assert.equal(table.stats().bytes.rows, rows, 'no page is copied any more');
  });

  test('is told apart by moments', () => {
    const { table, kept } = filled(10);
    const first = table.snapshot();
    table.update(1, { title: 'one' });
    const afterFirst = kept();
    const second = table.snapshot();
    table.update(1, { title: 'two' });
    table.update(2, { title: 'two' });
    const afterSecond = kept();
    assert.ok(afterSecond > 1.9 * afterFirst);
    first.close();
    const ofSecond = kept();
    assert.ok(ofSecond > afterFirst / 2 && ofSecond < afterSecond);
    assert.equal(second.get(1)?.title, 'one');
    second.close();
    assert.equal(kept(), 0);
  });

  test('goes to an older snapshot that sees it, when a newer one is closed', () => {
    const { table, kept } = filled(10);
    const older = table.snapshot();
    table.insert({ title: 'x' });
    const newer = table.snapshot();
    table.update(1, { title: 'one' });
    newer.close();
    // The page of the moment of the older one, and the row that only a page had which is gone.
    assert.ok(kept() > 8 * PAGE_SIZE);
    assert.equal(older.get(1)?.title, 'Title 1');
    older.close();
    assert.equal(kept(), 0);
  });

  test('is counted once for snapshots of one moment, until the last is closed', () => {
    const { table, kept } = filled(10);
    const [a, b] = [table.snapshot(), table.snapshot()];
    table.update(1, { title: 'one' });
    const both = kept();
    a.close();
    a.close();
    assert.equal(kept(), both);
    b.close();
    assert.equal(kept(), 0);
  });

  test('is all that a replacement has replaced', () => {
    const { table, kept } = filled(1000);
    const { rows, texts } = table.stats().bytes;
    const cursor = table.cursor();
    table.replacement().commit();
    assert.ok(kept() >= rows + texts);
    assert.equal([...cursor].length, 1000);
    assert.equal(kept(), 0);
    assert.equal(table.stats().bytes.total, table.stats().bytes.indexes.title);
  });
});

describe('a cursor', () => {
  test('frees what is kept for it at its end, when it is closed, and when it is refused', () => {
    const { table, kept } = filled(1000);
    const cursors = [table.cursor(), table.cursor([], { limit: 1 }), table.cursor()];
    assert.throws(() => table.cursor([{ op: 'eq', column: 'x', value: 1 }]));
    table.update(1, { title: 'one' });
    assert.ok(kept() > 0);
    const [all, first, given] = cursors;
    assert.equal([...(all ?? [])].length, 1000);
    while (first?.next().done === false);
    assert.ok(kept() > 0);
    given?.close();
    assert.equal(kept(), 0);
  });
});

describe('a snapshot that is collected', () => {
  /** Runs a part of a program, which has a table, and returns the numbers it prints. */
  const printedBy = (part: string) => {
    const source = new URL('../../../src/table/table.ts', import.meta.url);
    const script = `
      const { Table } = await import(${JSON.stringify(source)});
      const table = new Table({
        id: { kind: 'integer', identity: { from: 1, to: 9999 } },
        title: { kind: 'text', index: 'substring' },
      });
      for (let i = 0; i < 1000; i++) table.insert({ title: 'Title ' + i });
      const collect = async (isDone, most = 100) => {
        for (let i = 0; i < most && !isDone(); i++) {
          gc();
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      };
      ${part}`;
    const options = ['--expose-gc', '--input-type=module', '--eval', script];
    return String(execFileSync(process.execPath, [...process.execArgv, ...options])).split(' ');
  };

  test('is closed, and so are cursors', () => {
    const [before, after] = printedBy(`
      (() => {
        table.snapshot().search();
        table.cursor([], { orderBy: [{ column: 'title' }] }).next();
      })();
      table.update(1, { title: 'one' });
      const before = table.snapshotBytes;
      await collect(() => table.snapshotBytes === 0);
      process.stdout.write(before + ' ' + table.snapshotBytes);`);
    assert.ok(Number(before) > 0);
    assert.equal(after, '0');
  });

  test('is not closed again, which would close another one of the same moment', () => {
    const [before, after, atEnd] = printedBy(`
      const open = table.snapshot();
      const closed = (() => {
        const [one, other] = [table.snapshot(), table.snapshot()];
        one.close();
        table.update(1, { title: 'one' });
        other.close();
        return [new WeakRef(one), new WeakRef(other)];
      })();
      const before = table.snapshotBytes;
      await collect(() => closed.every((each) => each.deref() === undefined));
      await collect(() => table.snapshotBytes !== before, 10);
      const after = table.snapshotBytes;
      open.close();
      process.stdout.write(before + ' ' + after + ' ' + table.snapshotBytes);`);
    assert.ok(Number(before) > 0);
    assert.equal(after, before);
    assert.equal(atEnd, '0');
  });
});
