import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Admission } from '../../../../../src/lib/http/admission/admission.ts';
import { Scheduler } from '../../../../../src/lib/http/admission/scheduler.ts';
import { type Capacity, Ticket } from '../../../../../src/lib/http/admission/ticket.ts';
import { within } from '../../../../support/within.ts';

const holder = { length: 5000, isDisconnected: false };

it('a request keeps places while it waits for permits, and no longer', async () => {
  const admission = new Admission(1, 3);
  const capacity: Capacity = {
    scheduler: new Scheduler(),
    admission,
    oneByOne: new Admission(1, 1),
  };
  const newTicket = () => new Ticket(capacity, holder);
  const [first, second, refused, third] = [newTicket(), newTicket(), newTicket(), newTicket()];
  await first.takePermits();
  assert.equal(admission.takenPlaces, 0, 'it did not wait');
  const waits = second.takePermits();
  assert.equal(admission.takenPlaces, 2, 'for 5,000 bytes');
  const places = { name: 'Problem', shortage: 'places' };
  await assert.rejects(within('a refusal', refused.takePermits()), places);
  assert.equal(admission.takenPlaces, 2);
  first.end();
  await within('the permit', waits);
  assert.deepEqual([admission.takenPermits, admission.takenPlaces], [1, 0]);
  const late = third.takePermits(1, 0);
  admission.check(Number.POSITIVE_INFINITY);
  await assert.rejects(within('a refusal', late), { name: 'Problem', shortage: 'permits' });
  assert.deepEqual([admission.takenPermits, admission.takenPlaces], [1, 0]);
  second.end();
  assert.deepEqual([admission.takenPermits, admission.takenPlaces], [0, 0]);
});
