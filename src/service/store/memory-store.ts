import { clock } from '../../lib/clock.ts';
import { writeInOneCommit } from './matching-write.ts';
import { fullProblem } from './problems.ts';
import type { OpenStore } from './store.ts';

/** Keeps the items in this process. Nothing has to wait. */
export const memoryStore: OpenStore = (items, run) => {
  const { table } = items;
  const id = newId();
  let resets = 0;
  items.fill();
  return {
    items,
    read: (work) => work(),
    write(work, respond) {
      try {
        return respond(table.transaction(work), table.version);
      } catch (error) {
        throw fullProblem(error) ?? error;
      }
    },
    writeMatching: (matching) => writeInOneCommit(items, matching),
    async reset(seed) {
      const { replacement } = await run(items.replacement(seed));
      resets++;
      replacement.commit();
    },
    generation: () => String(resets),
    listId: () => id,
    isShared: false,
    representation: '',
    notReadyProblem: () => undefined,
    stats: () => undefined,
    problems: { ofReads: [], ofWrites: [] },
    close: () => {},
  };
};

/** An id with the random bits of a UUID, made without `node:crypto` (see lib/lazy.ts). */
function newId(): string {
  const random = () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const numbers = [clock.time(), random(), random(), random()];
  return numbers.map((number) => number.toString(36)).join('-');
}
