import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { longResponse } from '../../../../../src/lib/http/messages/long-content.ts';
import type { Request } from '../../../../../src/lib/http/messages/request.ts';
import { jsonResponse, type Response } from '../../../../../src/lib/http/messages/response.ts';
import { type ByteString, byteString } from '../../../../../src/lib/json/byte-string.ts';
import { rawClientFor, turns } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';
import { turnsUntil } from '../../../../support/within.ts';

const PART = byteString('x'.repeat(64 * 1024));

/** Responses of each kind of content, which are cut when `end` is called. */
async function start(test: TestContext) {
  let end = () => {};
  const cut = new Promise<void>((resolve) => {
    end = resolve;
  });
  let closed = 0;
  function* parts(): Generator<ByteString, ByteString> {
    try {
      for (let made = 0; made < 20; made++) yield PART;
      return PART;
    } finally {
      closed++;
    }
  }
  const handlers: Record<string, (request: Request) => Response | Promise<Response>> = {
    '/text': () => jsonResponse(200, byteString('0123456789')),
    '/buffer': () => jsonResponse(200, Buffer.from('0123456789')),
    '/parts': (request) => longResponse(request, 200, { make: () => inParts(parts()) }),
    '/stream': () =>
      jsonResponse(200, (writer) => {
        writer.write(byteString('first.....'));
        writer.write(byteString('second....'));
      }),
    '/empty': () => ({ status: 204 }),
  };
  const routes = Object.entries(handlers).map(([path, handle]) =>
    route('GET', path, async (request) => ({ ...(await handle(request)), cut })),
  );
  const { port, server } = await serverFor(test, routes);
  const ask = async (target: string, fields = '', method = 'GET') => {
    const client = await rawClientFor(test, port);
    let text = '';
    client.socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    client.send(getRequest(target, fields).replace('GET', method));
    await turnsUntil('the head has arrived', () => text.includes('\r\n\r\n'));
    return { client, content: () => text.slice(text.indexOf('\r\n\r\n') + 4) };
  };
  return { ask, end, server, closed: () => closed };
}

describe('a response that is cut', () => {
  for (const [target, expected] of [
    ['/text', '01234'],
    ['/buffer', '01234'],
    ['/stream', '5\r\nfirst\r\n'],
  ] as const) {
    it(`sends half, and closes when it is told: ${target}`, async (test) => {
      const { ask, end } = await start(test);
      const { client, content } = await ask(target);
      await turns(20);
      assert.equal(content(), expected);
      assert.equal(client.hasEnded, false);
      end();
      assert.equal(await client.ended, 'closed');
      assert.equal(content(), expected);
    });
  }

  it('in parts sends half of the first one, closes the work, and gives back its permit', async (test) => {
    const { ask, server, closed } = await start(test);
    const { client, content } = await ask('/parts');
    await turnsUntil('half has arrived', () => content().length >= PART.length / 2);
    await turnsUntil('its permit is back', () => server.admission.takenPermits === 0);
    assert.equal(closed(), 1);
    await turns(20);
    assert.equal(content().length, '8000\r\n\r\n'.length + PART.length / 2);
    assert.equal(client.hasEnded, false);
  });

  it('without content is sent as it is, and the connection stays open', async (test) => {
    const { ask, end } = await start(test);
    for (const [target, method] of [
      ['/empty', 'GET'],
      ['/text', 'HEAD'],
    ] as const) {
      const { client } = await ask(target, '', method);
      end();
      assert((await client.next(false)) !== undefined);
      await client.sendApart(getRequest('/empty'));
      assert.equal((await client.next())?.status, 204);
    }
  });

  it('ends when its client goes, or ends its side', async (test) => {
    const { ask, server } = await start(test);
    for (const leave of ['reset', 'finish', 'destroy'] as const) {
      const { client } = await ask('/text');
      client[leave]();
      await turnsUntil(`the connection is closed: ${leave}`, () => server.openConnections === 0);
    }
  });
});
