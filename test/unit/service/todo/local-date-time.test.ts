import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localDateTime } from '../../../../src/service/resource/date-time.ts';
import { localDateTimes } from '../../../../src/service/todo/local-date-time.ts';

describe('a local date-time', () => {
  it('has two digits per part, three for milliseconds, and no zone', () => {
    assert.equal(localDateTime(new Date(2026, 10, 20, 9, 30, 0, 123)), '2026-11-20T09:30:00.123');
    assert.equal(localDateTime(new Date(2026, 0, 2, 3, 4, 5, 6)), '2026-01-02T03:04:05.006');
    assert.equal(localDateTime(new Date(2026, 11, 31, 23, 59, 59, 0)), '2026-12-31T23:59:59.000');
  });

  it('has a year from 0 to 9999', () => {
    const first = new Date(2000, 0, 1);
    first.setFullYear(0);
    assert.equal(localDateTime(first), '0000-01-01T00:00:00.000');
    assert.equal(localDateTime(new Date(first.getTime() - 1)), undefined);
    const end = new Date(10_000, 0, 1);
    assert.equal(localDateTime(new Date(end.getTime() - 1)), '9999-12-31T23:59:59.999');
    assert.equal(localDateTime(end), undefined);
  });

  it('is the current time, even if requested often', () => {
    const localDateTimeNow = localDateTimes();
    const localNow = () => localDateTime(new Date()) ?? assert.fail('the year is no longer short');
    for (let i = 0; i < 10_000; i++) {
      const before = localNow();
      const now = localDateTimeNow();
      assert(before <= now && now <= localNow());
    }
  });
});
