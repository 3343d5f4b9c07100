import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIST } from '../../../support/paths.ts';
import { rawClientFor } from '../../../support/raw.ts';
import { getRequest } from '../../../support/raw-requests.ts';
import { startApp, VARIANTS } from '../../../support/service.ts';
import { turnsUntil } from '../../../support/within.ts';

/** More than the buffers of the kernel take, and the first part of a response. */
const SEED = Array.from({ length: 20_000 }, (_, i) => ({
  title: `item ${i}`,
  description: 'x'.repeat(400),
}));

for (const variant of VARIANTS) {
  it(`variant ${variant.name}: a list that waited for its turn has the tag of the commit that it shows`, async (test) => {
    // One long result at a time.
    const { app, client, port } = await startApp(test, variant, {
      seed: SEED,
      http: { permits: 1 },
    });
    const reader = await rawClientFor(test, port);
    reader.socket.pause();
    reader.send(getRequest(LIST));
    const { server } = app.control;
    await turnsUntil(
      'the first list has the permit',
      () => server.admission.lacking === 0 && server.admission.takenPermits === 1,
    );
    const waiting = client.get(`${LIST}?search=item`);
    await turnsUntil('the second list waits', () => server.admission.lacking > 0);
    const created = await client.post(LIST, { title: 'item that came in between' });
    assert.equal(created.status, 201);
    reader.socket.resume();
    reader.ignore();
    const { text, headers } = await waiting;
    assert(text.includes('item that came in between'));
    const now = await client.get(`${LIST}?search=item`, { 'if-none-match': String(headers.etag) });
    assert.equal(now.status, 304);
  });
}
