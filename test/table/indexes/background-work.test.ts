import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { BackgroundRunner } from '../../../src/table/indexes/background-work.ts';

describe('background work', () => {
  test('runs in tasks of two milliseconds, one at a time', () => {
    const tasks: (() => void)[] = [];
    let left = 200;
    let now = 0;
    const work = {
      get isPending() {
        return left > 0;
      },
      isUrgent: false,
      *work() {
        for (; left > 0; left--) {
          now += 0.1;
          yield;
        }
      },
    };
    const runner = new BackgroundRunner(
      work,
      (task) => tasks.push(task),
      () => now,
    );
    const steps: number[] = [];
    runner.request();
    runner.request();
    while (tasks.length > 0) {
      assert.equal(tasks.length, 1);
      const before = left;
      tasks.shift()?.();
      steps.push(before - left);
    }
    assert.equal(left, 0);
    assert.ok(Math.max(...steps) <= 21, 'a task ends in time');
    assert.ok(steps.length <= 12, `a task uses its time: ${steps}`);
  });

  test('runs at least one step per task, whatever the clock says', () => {
    const tasks: (() => void)[] = [];
    let left = 3;
    let now = 0;
    const work = {
      get isPending() {
        return left > 0;
      },
      isUrgent: false,
      *work() {
        for (; left > 0; left--) yield;
      },
    };
    const runner = new BackgroundRunner(
      work,
      (task) => tasks.push(task),
      () => now++,
    );
    runner.request();
    for (let i = 0; i < 20; i++) tasks.shift()?.();
    assert.equal(left, 0);
  });

  test('schedules nothing if there is nothing to do', () => {
    const work = { isPending: false, isUrgent: false, *work() {} };
    new BackgroundRunner(work, () => assert.fail('nothing to schedule')).request();
  });

  test('waits for a moment without writes, unless it is urgent', () => {
    const tasks: (() => void)[] = [];
    let done = 0;
    const work = {
      isPending: true,
      isUrgent: false,
      *work() {
        done++;
        work.isPending = false;
        yield;
      },
    };
    const runner = new BackgroundRunner(
      work,
      (task) => tasks.push(task),
      () => 0,
    );
    const runTask = () => tasks.shift()?.();
    runner.request();
    runner.request();
    runTask();
    assert.equal(done, 0, 'there was a write meanwhile');
    runTask();
    assert.equal(done, 1, 'nobody did');
    work.isPending = true;
    work.isUrgent = true;
    runner.request();
    runner.request();
    runTask();
    assert.equal(done, 2, 'it is urgent');
  });

  test('starts again after failed work', () => {
    const tasks: (() => void)[] = [];
    let begun = 0;
    const work = {
      isPending: true,
      isUrgent: false,
      // biome-ignore lint/correctness/useYield: it fails before
      *work(): Generator<void> {
        begun++;
        throw new Error('stop');
      },
    };
    const runner = new BackgroundRunner(
      work,
      (task) => tasks.push(task),
      () => 0,
    );
    for (const expected of [1, 2]) {
      runner.request();
      assert.throws(() => tasks.shift()?.(), /stop/);
      assert.equal(begun, expected);
    }
  });

  test('runs by itself, but does not keep a process alive', { timeout: 20_000 }, () => {
    const source = new URL('../../../src/table/table.ts', import.meta.url);
    const script = `
      const { Table } = await import(${JSON.stringify(source)});
      const table = new Table({
        id: { kind: 'integer', identity: { from: 1, to: 9999 } },
        title: { kind: 'text', index: 'substring' },
      });
      for (let i = 0; i < 1000; i++) table.insert({ title: 'some text ' + i });
      const waiting = () => table.explain((t) => [t.title.contains('zzz')]).candidates;
      const before = waiting();
      for (let i = 0; i < 500 && waiting() >= 64; i++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      table.insert({ title: 'some text' });
      process.stdout.write(before + ' ' + waiting());
    `;
    const options = ['--input-type=module', '--eval', script];
    const printed = execFileSync(process.execPath, [...process.execArgv, ...options]);
    const [before, after] = String(printed).split(' ').map(Number);
    assert.ok((after ?? 99) < 64 && (before ?? 0) === 1000);
  });
});
