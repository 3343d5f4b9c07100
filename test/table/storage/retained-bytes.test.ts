import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { SnapshotClosedError } from '../../../src/table/errors.ts';
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

describe('the memory that snapshots retain', () => {
  test('is zero before any write, and after they are closed', () => {
    const { table, kept } = filled(2000);
    const snapshot = table.snapshot();
    assert.equal(kept(), 0);
    table.update(1, { title: 'changed' });
    const one = kept();
    assert.ok(one > 8 * PAGE_SIZE && one < 20_000, `a page and a row: ${one}`);
    table.update(1, { title: 'changed again' });
    assert.equal(kept(), one, 'rows added after the snapshot are not retained for it');
    table.update(2, { title: 'changed' });
    assert.ok(kept() > one && kept() < one + 300, 'a row of a page already retained');
    table.delete(2000);
    assert.ok(kept() > 2 * one - 500, 'another page');
    snapshot.close();
    assert.equal(kept(), 0);
    const { rows } = table.stats().bytes;
    table.update(700, { title: 'Title 700' });
    assert.equal(table.stats().bytes.rows, rows, 'pages are no longer copied');
  });

  test('is counted per moment', () => {
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

  test('passes to an older snapshot that sees it when a newer one is closed', () => {
    const { table, kept } = filled(10);
    const older = table.snapshot();
    table.insert({ title: 'x' });
    const newer = table.snapshot();
    table.update(1, { title: 'one' });
    newer.close();
    // Retained: the page of the older moment, and the old row, which no current page has.
    assert.ok(kept() > 8 * PAGE_SIZE);
    assert.equal(older.get(1)?.title, 'Title 1');
    older.close();
    assert.equal(kept(), 0);
  });

  test('is counted once for snapshots of the same moment, until the last is closed', () => {
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

  test('includes everything that a replacement replaced', () => {
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
  test('frees what it retains at its end, when closed, and when rejected', () => {
    const { table, kept } = filled(1000);
    const cursors = [table.cursor(), table.cursor([], { limit: 1 }), table.cursor()];
    assert.throws(() => table.cursor([{ op: 'eq', column: 'x', value: 1 }]));
    table.update(1, { title: 'one' });
    assert.ok(kept() > 0);
    const [all, first, given] = cursors;
    assert.equal([...(all ?? [])].length, 1000);
    while (first?.step());
    assert.ok(kept() > 0);
    given?.close();
    assert.equal(kept(), 0);
  });

  test('of a snapshot continues after the snapshot is closed', () => {
    const { table, kept } = filled(1000);
    const snapshot = table.snapshot();
    const cursor = snapshot.cursor();
    table.removeAll();
    snapshot.close();
    assert.throws(() => snapshot.search(), SnapshotClosedError);
    assert.throws(() => snapshot.cursor(), SnapshotClosedError);
    assert.throws(() => snapshot.size, SnapshotClosedError);
    assert.equal([...cursor].length, 1000);
    assert.equal(kept(), 0);
  });
});

test('unreferenced snapshots and cursors are closed by garbage collection', () => {
  const source = new URL('../../../src/table/table.ts', import.meta.url);
  const script = `
    const { Table } = await import(${JSON.stringify(source)});
    const table = new Table({
      id: { kind: 'integer', identity: { from: 1, to: 9999 } },
      title: { kind: 'text', index: 'substring' },
    });
    for (let i = 0; i < 1000; i++) table.insert({ title: 'Title ' + i });
    (() => {
      table.snapshot().search();
      table.cursor([], { orderBy: [{ column: 'title' }] }).step();
    })();
    table.update(1, { title: 'one' });
    const before = table.stats().bytes.snapshots;
    for (let i = 0; i < 100 && table.stats().bytes.snapshots > 0; i++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    process.stdout.write(before + ' ' + table.stats().bytes.snapshots);
  `;
  const options = ['--expose-gc', '--input-type=module', '--eval', script];
  const printed = execFileSync(process.execPath, [...process.execArgv, ...options]);
  const [before, after] = String(printed).split(' ').map(Number);
  assert.ok((before ?? 0) > 0);
  assert.equal(after, 0);
});
