import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { startTodoService } from 'todo-service';
import { createFront, passBaggage } from './front.js';

/** With OpenTelemetry, the front end has no line for `baggage`. */
const hasTelemetry = process.execArgv.some((each) => each.includes('telemetry.js'));

let service;
let front;

before(async () => {
  service = await startTodoService({ env: { LISTS_BY_HEADER: 'on' } });
  front = createFront(service.url, hasTelemetry ? () => ({}) : passBaggage).listen(0);
  await once(front, 'listening');
});
after(async () => {
  front.close();
  await service.stop();
});

for (const name of ['anna', 'ben']) {
  test(`the page has the items of ${name}`, async () => {
    await service.list(name, [{ title: `Call ${name}` }]);
    const url = `http://localhost:${front.address().port}`;
    const page = await fetch(url, { headers: { baggage: `todo-list=${name}` } });
    assert.equal(await page.text(), `<ul><li>Call ${name}</li></ul>`);
  });
}
