import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from '../../../support/client.ts';
import { findViolation, type Operation } from '../../../support/linearizable.ts';
import { LIST } from '../../../support/paths.ts';
import { serviceFor, VARIANTS } from '../../../support/service.ts';
import { Recorder, stateKey } from '../../../support/todo-history.ts';
import { LONG, Random, SEED } from '../../lib/table/support/random.ts';

const HISTORIES = LONG ? 50 : 5;
const CLIENTS = 8;
const OPERATIONS = 12;

/** With this many long rows, the list is sent in slices, with writes between them. */
const ROWS = 300;

for (const variant of VARIANTS) {
  describe(`${CLIENTS} concurrent clients, variant ${variant.name.toUpperCase()}`, () => {
    it(`${HISTORIES} histories (seed ${SEED}) are linearizable`, async (test) => {
      const random = new Random(SEED);
      for (let count = 0; count < HISTORIES; count++) {
        const { baseUrl, stop } = await serviceFor(test, variant);
        const client = new Client(baseUrl);
        const description = 'x'.repeat(1_000);
        for (let id = 1; id <= ROWS; id++) {
          await client.post(LIST, { title: 'there before', description });
        }
        const before = new Recorder(client);
        const rows = await before.list();
        const recorder = new Recorder(client);
        await Promise.all(Array.from({ length: CLIENTS }, () => play(recorder, random)));
        const initial = { rows: new Map(rows.map((row) => [row.id, row])), lastId: ROWS };
        const violation = findViolation(initial, recorder.history, stateKey);
        assert.equal(violation?.map(({ what }) => what).join('\n'), undefined);
        await client.close();
        await stop();
      }
    });
  });
}

async function play(recorder: Recorder, random: Random): Promise<void> {
  for (let count = 0; count < OPERATIONS; count++) {
    const id = ROWS - 1 + random.below(6);
    const title = String(random.below(1_000_000));
    const choice = random.below(15);
    if (choice < 2) await recorder.create(title);
    else if (choice < 4) await recorder.update(id, title);
    else if (choice < 5) await recorder.patch(id, title);
    else if (choice < 8) await recorder.renameSeen(id, title);
    else if (choice < 10) await recorder.get(id);
    else if (choice < 11) await recorder.delete(id);
    else if (choice < 12) await recorder.deleteSeen(id);
    else if (choice < 13) await recorder.lastPage(3);
    else await recorder.list();
  }
}

describe('the linearizability checker', () => {
  type Register = Operation<number>;
  const write = (start: number, end: number, value: number): Register => ({
    start,
    end,
    what: `write ${value}`,
    step: () => value,
  });
  const read = (start: number, end: number, value: number): Register => ({
    start,
    end,
    what: `read ${value}`,
    step: (state) => (state === value ? state : undefined),
  });
  const isLinearizable = (...history: Register[]) =>
    findViolation(0, history, String) === undefined;

  it('lets overlapping operations take effect in any order', () => {
    assert(isLinearizable(write(0, 3, 1), read(1, 2, 0)));
    assert(isLinearizable(write(0, 3, 1), read(1, 2, 1)));
    assert(isLinearizable(write(0, 5, 1), write(1, 4, 2), read(6, 7, 1)));
  });

  it('finds a stale read, a lost write and a value that reverts', () => {
    assert(!isLinearizable(write(0, 1, 1), read(2, 3, 0)));
    assert(!isLinearizable(write(0, 1, 1), write(2, 3, 2), read(4, 5, 1)));
    assert(!isLinearizable(write(0, 5, 1), read(1, 2, 1), read(3, 4, 0)));
  });
});
