import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { variantB as variant } from '../../../../src/service/todo/variant-b.ts';
import { itemPath, LIST } from '../../../support/paths.ts';
import { rawClientFor } from '../../../support/raw.ts';
import { getRequest } from '../../../support/raw-requests.ts';
import type { Todo } from '../../../support/requests.ts';
import { startApp } from '../../../support/service.ts';

const MIB = 1024 * 1024;
const ITEMS = 6_000;
const LISTS = 8;
const UPDATES_PER_LIST = 300;
const MAX_BYTES = 24 * MIB;
const TEXT_LENGTH = 1_000;

/** JSON escapes it with six characters, so no socket buffer holds the whole list. */
const CONTROL_CHARACTER = '\u0001';

describe('lists that their clients do not read', () => {
  it('are cut before the items they retain leave no room for others', async (test) => {
    const item = { title: 'title', description: CONTROL_CHARACTER.repeat(TEXT_LENGTH) };
    const seed = Array.from({ length: ITEMS }, () => item);
    const options = { seed, metrics: true, table: { maxBytes: MAX_BYTES } };
    const { client, port } = await startApp(test, variant, options);
    const kept = async () => {
      const { text } = await client.get('/metrics');
      return Number(/^todo_bytes\{part="snapshots"\} (\d+)/m.exec(text)?.[1]);
    };
    let most = 0;
    for (let list = 0; list < LISTS; list++) {
      const reader = await rawClientFor(test, port);
      reader.socket.pause();
      reader.send(getRequest(LIST));
      const ids = Array.from({ length: UPDATES_PER_LIST }, (_, i) => 1 + i * LISTS + list);
      for (let at = 0; at < ids.length; at += 100) {
        const updates = ids
          .slice(at, at + 100)
          .map((id) => client.put(itemPath(id), { description: 'y'.repeat(TEXT_LENGTH) }));
        for (const { status } of await Promise.all(updates)) assert.equal(status, 200);
        most = Math.max(most, await kept());
      }
    }
    assert(most > UPDATES_PER_LIST * TEXT_LENGTH, `what they retain is counted: ${most}`);
    assert(most < MAX_BYTES / 7, `and bounded: ${most}`);
    assert.equal((await client.get(`${LIST}?limit=1`)).json<Todo[]>().length, 1);
    assert.equal((await client.post(LIST, item)).status, 201, 'there is room');
  });
});
