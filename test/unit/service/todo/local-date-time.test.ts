import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localDateTime } from '../../../../src/service/resource/date-time.ts';
import { localDateTimeNow } from '../../../../src/service/todo/local-date-time.ts';

describe('a local date-time', () => {
  it('is the current time, even if requested often', () => {
    const localNow = () => localDateTime(new Date()) ?? assert.fail('the year is no longer short');
    for (let i = 0; i < 10_000; i++) {
      const before = localNow();
      const now = localDateTimeNow();
      assert(before <= now && now <= localNow());
    }
  });
});
