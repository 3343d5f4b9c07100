import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from '../../support/process.ts';
import { RawClient } from '../../support/raw.ts';
import { createRequest, getRequest } from '../../support/raw-requests.ts';
import { VARIANTS } from '../../support/service.ts';

const CLIENTS = 100;

/** Content that takes milliseconds to parse. */
const LONG = createRequest({ body: '['.repeat(65_000) });

for (const { name } of VARIANTS) {
  it(`a short request does not wait for ${CLIENTS} long ones, variant ${name}`, async (test) => {
    const service = new ServiceProcess(test, ['--port=0', `--variant=${name}`]);
    const port = Number(new URL(await service.baseUrl()).port);
    const clients = await Promise.all(
      Array.from({ length: CLIENTS }, () => RawClient.connect(port)),
    );
    const short = await RawClient.connect(port);
    // All but the last byte, so that the requests are complete within a moment.
    for (const client of clients) client.send(LONG.slice(0, -1));
    await sleep(500);
    for (const client of clients) client.send(LONG.slice(-1));
    let answered = 0;
    const responses = clients.map(async (client) => {
      const response = await client.next();
      answered++;
      return response?.status;
    });
    const metrics = (await short.send(getRequest('/metrics')).next())?.text ?? '';
    assert(answered < CLIENTS / 2, `it waited for ${answered} of them`);
    const held = Number(/^todo_bytes\{part="clients"\} (\d+)$/m.exec(metrics)?.[1]);
    assert(held > (CLIENTS / 2) * LONG.length, `they hold ${held} bytes`);
    for (const status of await Promise.all(responses)) assert.equal(status, 400);
    for (const client of [short, ...clients]) client.destroy();
  });
}
