import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ReasonCounter } from '../../../../../src/lib/http/server/reason-counter.ts';
import { ManualClock } from '../../../../support/clock.ts';

it('the first event of each reason in a minute is reported, with the number since the last report', async (test) => {
  const time = new ManualClock(test);
  const reports: [string, number][] = [];
  const counter = new ReasonCounter((reason, count) => reports.push([reason, count]));
  for (let i = 0; i < 5; i++) counter.add('contents');
  counter.add('waiting');
  await time.advance(59_999);
  counter.add('contents');
  assert.deepEqual(reports, [
    ['contents', 1],
    ['waiting', 1],
  ]);
  await time.advance(1);
  counter.add('contents');
  assert.deepEqual(reports.slice(2), [['contents', 6]]);
  assert.deepEqual([counter.count('contents'), counter.count('streams')], [7, 0]);
});
