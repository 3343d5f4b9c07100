import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { it } from 'node:test';
import { IncomingContent } from '../../../../src/lib/http/server/receive/incoming-content.ts';
import { IncomingRequest } from '../../../../src/lib/http/server/receive/node-internals.ts';
import { ReadAhead } from '../../../../src/lib/http/server/receive/read-ahead.ts';
import { SocketParser } from '../../../../src/lib/http/server/receive/socket-parser.ts';
import { turns } from '../../../support/raw.ts';

/** Content of which pieces arrive, and after some of them, its connection is over. */
async function received(pieces: readonly string[], overAfter: number) {
  const socket = new Socket();
  const connection = {
    isOver: false,
    isFull: false,
    reportMemory() {},
    reportWaiting() {},
    end() {},
  };
  const message = new IncomingRequest(socket);
  const content = new IncomingContent(
    message,
    new ReadAhead(socket, new SocketParser(socket, 16 * 1024), connection),
  );
  let whole: string | undefined;
  content.read(() => {
    whole = String(content.release());
  });
  for (const [i, piece] of pieces.entries()) {
    connection.isOver = i >= overAfter;
    message.push(Buffer.from(piece));
  }
  connection.isOver ||= overAfter === pieces.length;
  message.push(null);
  await turns(1);
  return whole;
}

it('content is complete only with all of its pieces', async () => {
  const pieces = ['{"title":', '"a"', '}'];
  assert.equal(await received(pieces, 4), '{"title":"a"}');
  assert.equal(await received(pieces, 3), '{"title":"a"}', 'which came before the end');
  for (const overAfter of [0, 1, 2]) {
    assert.equal(await received(pieces, overAfter), undefined, `over after ${overAfter}`);
  }
});
