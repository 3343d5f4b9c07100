import assert from 'node:assert/strict';
import performance from 'node:perf_hooks';
import { it } from 'node:test';
import { EventLoopDelay } from '../../../src/service/features/metrics/event-loop-delay.ts';

it('the delay of the event loop is not measured after its end, even if it is read', (test) => {
  const histogram = performance.monitorEventLoopDelay();
  test.mock.method(performance, 'monitorEventLoopDelay', () => histogram);
  const delay = new EventLoopDelay();
  delay.stop();
  delay.read();
  assert.equal(histogram.disable(), false, 'it was disabled');
});
