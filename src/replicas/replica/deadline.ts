import { clock } from '../../lib/clock.ts';
import { StoreError } from './errors.ts';

/**
 * Waits for a promise, which may go on beyond the deadline.
 * @param deadline a time of `clock.now()`
 * @param late the error at the deadline
 */
export function withDeadline<T>(
  promise: Promise<T>,
  deadline: number,
  late = new StoreError('this replica did not catch up with etcd in time'),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => reject(late), Math.max(0, deadline - clock.now()));
    const end = () => clock.clear(timer);
    promise.finally(end).then(resolve, reject);
  });
}
