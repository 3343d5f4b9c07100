import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startTodoService } from '../../../../../src/package/index.ts';
import type { JournalEntry } from '../../../../../src/service/features/control/journal-entry.ts';
import { variantB as variant } from '../../../../../src/service/todo/variant-b.ts';
import { AUTHORIZED, startAdmin } from '../../../../support/admin.ts';
import { ManualTimers } from '../../../../support/clock.ts';
import { LIST } from '../../../../support/paths.ts';
import { RawClient, turns } from '../../../../support/raw.ts';
import { createRequest, getRequest } from '../../../../support/raw-requests.ts';

const HOUR_MS = 3_600_000;

async function start(test: TestContext) {
  const service = await startAdmin(test, variant);
  const requests = async (query = '') => {
    const answer = await service.admin('GET', `/admin/requests${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json<{ requests: JournalEntry[] }>().requests;
  };
  const connect = async () => {
    const client = await RawClient.connect(Number(new URL(service.baseUrl).port));
    test.after(() => client.destroy());
    return client;
  };
  return { ...service, requests, connect };
}

describe('the journal', () => {
  it('has a request from its arrival on, and then what came of it', async (test) => {
    const { admin, setFaults, requests, connect } = await start(test);
    await setFaults({ delayMs: HOUR_MS });
    const client = await connect();
    await client.sendApart(createRequest().slice(0, -5));
    assert.deepEqual(await requests(), []);
    await client.sendApart(createRequest().slice(-5));
    const [waiting] = await requests();
    assert(waiting);
    assert.deepEqual([waiting.status, waiting.durationMs], [null, null]);
    assert.deepEqual([waiting.method, waiting.content], ['POST', '{"title":"sent raw"}']);
    await admin('DELETE', '/admin/faults');
    assert.equal((await client.next())?.status, 201);
    const [over] = await requests();
    assert(typeof over?.durationMs === 'number');
    assert.deepEqual({ ...over, status: null, durationMs: null }, waiting);
    assert.equal(over.status, 201);
  });

  it('has no password of a URL, neither of the target nor of a header field', async (test) => {
    const { requests, connect } = await start(test);
    const sent = getRequest(LIST)
      .replace(LIST, `http://u:secret@h${LIST}`)
      .replace('Host:', 'Referer: https://u:secret@app.example/\r\nHost:');
    assert.equal((await (await connect()).send(sent).next())?.status, 200);
    const [entry] = await requests();
    assert.deepEqual(
      [entry?.target, entry?.headers.referer],
      [`http://h${LIST}`, 'https://app.example/'],
    );
  });

  it('has status null for ever where no response was sent', async (test) => {
    const { admin, setFaults, requests, connect } = await start(test);
    await setFaults({ abort: 'after', times: 1 }, { delayMs: HOUR_MS });
    await (await connect()).send(createRequest()).ended;
    const gone = await connect();
    await gone.sendApart(getRequest(LIST));
    gone.reset();
    while ((await requests()).some(({ durationMs }) => durationMs === null)) await turns(1);
    await admin('DELETE', '/admin/faults');
    const outcomes = (await requests()).map(({ method, status }) => [method, status]);
    assert.deepEqual(outcomes, [
      ['POST', null],
      ['GET', null],
    ]);
  });

  it('finds those for a program, which asks for the status null', async (test) => {
    const service = await startTodoService();
    test.after(() => service.stop());
    await service.faults([{ abort: 'before', times: 1 }]);
    await assert.rejects(fetch(service.url + LIST));
    await fetch(service.url + LIST);
    assert.equal((await service.requests({ status: null })).length, 1);
    await assert.rejects(service.requests({ status: 0 }), /status must be .* not 0$/);
  });

  it('waits until so many requests match, answered or not', async (test) => {
    const { client, setFaults, requests, connect } = await start(test);
    const two = requests('?method=POST&waitMs=60000&count=2');
    await client.post(LIST, { title: 'one' });
    await client.get(LIST);
    await setFaults({ delayMs: HOUR_MS });
    await (await connect()).sendApart(createRequest());
    assert.deepEqual(
      (await two).map(({ method, status }) => [method, status]),
      [
        ['POST', 201],
        ['POST', null],
      ],
    );
    const failed = requests('?status=503&waitMs=60000');
    await setFaults({ status: 503 });
    await client.get(LIST);
    assert.equal((await failed).length, 1);
    assert.equal((await requests('?waitMs=60000&count=0')).length, 4);
  });

  it('waits for a client that has ended its side, as a fault delays its requests', async (test) => {
    const { client, setFaults, connect } = await start(test);
    const waiting = await connect();
    const fields = `Authorization: ${AUTHORIZED.authorization}\r\n`;
    await waiting.sendApart(getRequest('/admin/requests?waitMs=60000&method=POST', fields));
    await setFaults({ method: 'GET', delayMs: HOUR_MS });
    const delayed = await connect();
    await delayed.sendApart(getRequest(LIST));
    waiting.finish();
    delayed.finish();
    await turns(20);
    await client.post(LIST, { title: 'x' });
    assert.match((await waiting.next())?.text ?? '', /"method":"POST"/);
    await setFaults();
    assert.equal((await delayed.next())?.status, 200);
  });

  it('waits no longer than it is to, and then has what there is', async (test) => {
    const { client, requests } = await start(test);
    await client.get(LIST);
    const timers = new ManualTimers(test, (ms) => ms === 30_000);
    const waiting = requests('?waitMs=30000&count=2');
    await turns(50);
    await timers.end();
    assert.equal((await waiting).length, 1);
  });
});
