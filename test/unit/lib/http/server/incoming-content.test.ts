import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { it } from 'node:test';
import { IncomingContent } from '../../../../../src/lib/http/server/machine/pending-exchange.ts';
import { IncomingRequest } from '../../../../../src/lib/http/server/receive/node-internals.ts';
import { turns } from '../../../../support/raw.ts';

/** Content of which pieces arrive, and after some of them, its connection is over. */
async function received(pieces: readonly string[], overAfter: number) {
  const connection = {
    isOver: false,
    addContent() {},
    end() {},
  };
  const message = new IncomingRequest(new Socket());
  const content = new IncomingContent(connection, undefined, false);
  message.sendContentTo(content);
  let whole: string | undefined;
  content.read(() => {
    whole = String(content.kept.content);
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
  for (const overAfter of [0, 1, 2, 3]) {
    assert.equal(await received(pieces, overAfter), undefined, `over after ${overAfter}`);
  }
});
