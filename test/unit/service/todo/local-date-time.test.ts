import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localDateTime } from '../../../../src/service/resource/date-time.ts';
import { localDateTimeNow } from '../../../../src/service/todo/local-date-time.ts';

describe('a local date-time', () => {
  it('has two digits per part, three for milliseconds, and no zone', () => {
    assert.equal(localDateTime(new Date(2026, 10, 20, 9, 30, 0, 123)), '2026-11-20T09:30:00.123');
    assert.equal(localDateTime(new Date(2026, 0, 2, 3, 4, 5, 6)), '2026-01-02T03:04:05.006');
    assert.equal(localDateTime(new Date(2026, 11, 31, 23, 59, 59, 0)), '2026-12-31T23:59:59.000');
  });

  it('is the current time, even if requested often', () => {
    const localNow = () => localDateTime(new Date()) ?? assert.fail('the year is no longer short');
    for (let i = 0; i < 10_000; i++) {
      const before = localNow();
      const now = localDateTimeNow();
      assert(before <= now && now <= localNow());
    }
  });
});
