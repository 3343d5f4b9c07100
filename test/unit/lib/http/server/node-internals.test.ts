import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { it } from 'node:test';
import {
  checkNode,
  IncomingRequest,
} from '../../../../../src/lib/http/server/receive/node-internals.ts';

it('this Node behaves as the server expects', () => checkNode());

it('a Node that passes content on in another way is refused', () => {
  class Changed extends IncomingRequest {
    override push(piece: Buffer | null): boolean {
      return IncomingMessage.prototype.push.call(this, piece);
    }
  }
  assert.throws(
    () => checkNode({ IncomingMessage: Changed }),
    /^Error: Node v\S+ is not supported, because it changes IncomingMessage.push$/,
  );
});
