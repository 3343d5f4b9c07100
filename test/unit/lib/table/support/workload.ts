import assert from 'node:assert/strict';
import type { Changes } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import type { CommittedRow } from '../../../../../src/lib/table/write/commit.ts';
import type { Random } from '../../../../support/random.ts';
import { type Everything, everything, Generator } from './everything.ts';

/** How the rows of a table are spread over its chunks. */
export type Spread = 'dense' | 'sparse';

const CHUNKS = 20;

/** The ids of a chunk, which have rows or gaps together. */
const CHUNK_IDS = 512;

/** The first ids of tables: also where a double is no longer exact, and near the last id. */
const FIRST_IDS: [bigint, ...bigint[]] = [
  ...[1n, 1n, 2n ** 53n - 100n, 2n ** 63n - BigInt((CHUNKS + 2) * CHUNK_IDS)],
] as [bigint, ...bigint[]];

/** A table that is written at random. */
export class Workload {
  readonly table: Table<Everything>;
  readonly generator: Generator;
  readonly #random: Random;
  readonly #firstId: bigint;
  readonly #spread: Spread;
  #time = 0;

  constructor(random: Random, spread: Spread) {
    this.#random = random;
    this.#spread = spread;
    this.#firstId = random.pick(FIRST_IDS);
    const span = spread === 'dense' ? 700 : CHUNKS * CHUNK_IDS;
    this.generator = new Generator(random, this.#firstId, span);
    // According to the clock, every step is over at once, so that writes come between steps.
    const clock = () => ++this.#time;
    const identity = { ...everything.id.identity, from: this.#firstId };
    this.table = new Table({ ...everything, id: { kind: 'bigint', identity } }, { clock });
  }

  /** Loads many rows. If they are to be sparse, deletes most of them again, chunk by chunk. */
  load(): void {
    const { table, generator } = this;
    const random = this.#random;
    if (this.#spread === 'dense') {
      table.transaction(() => {
        for (let i = random.below(700); i > 0; i--) table.insert(generator.values());
      });
      return;
    }
    table.remove((t) => [t.id.gte(this.#firstId)]);
    const rows: CommittedRow<Everything>[] = [];
    for (let chunk = 0; chunk < CHUNKS; chunk++) {
      const count = random.pick([0, 1, 40, CHUNK_IDS - 30, CHUNK_IDS]);
      for (const offset of this.#offsets(count).toSorted((a, b) => a - b)) {
        const slot = chunk * CHUNK_IDS + offset;
        const id = this.#firstId + BigInt(slot);
        rows.push({ id, values: generator.values(), commit: random.below(3) });
      }
    }
    table.replay(rows, BigInt(CHUNKS * CHUNK_IDS), table.lastCommit + 1);
    for (let chunk = 0; chunk < CHUNKS; chunk++) {
      if (!random.chance(3)) continue;
      const first = this.#firstId + BigInt(chunk * CHUNK_IDS);
      const last = first + BigInt(CHUNK_IDS - 1 - random.below(CHUNK_IDS / 2));
      table.remove((t) => [t.id.gte(first), t.id.lte(last), t.priority.gt(0)]);
    }
  }

  /** Does one of all kinds of writes. */
  write(): void {
    const { table, generator } = this;
    const random = this.#random;
    const values = () => generator.values();
    if (table.size < 50 && random.chance(20)) this.load();
    random.pick<() => void>([
      () => table.insert(values()),
      () => table.insert(values()),
      () => table.update(this.#anyId(), values()),
      () => table.update(this.#anyId(), values()),
      () => table.update(this.#anyId(), { title: values().title }),
      () => table.delete(this.#anyId()),
      () => table.transaction((t) => [t.insert(values()), t.delete(this.#anyId())]),
      () => this.#rollBack(),
      () => random.chance(20) && this.#write(),
      () => random.chance(40) && this.load(),
    ])();
  }

  /** An id that has, had or will have a row. */
  #anyId(): bigint {
    const some = this.#random.chance(3)
      ? undefined
      : this.table.search([], { limit: 1, offset: this.#random.below(this.table.size + 1) })[0];
    return some ? BigInt(some.id) : this.generator.id();
  }

  #offsets(count: number): readonly number[] {
    const offsets = Array.from({ length: count }, () => this.#random.below(CHUNK_IDS));
    return [...new Set(offsets)].sort((a, b) => a - b);
  }

  #write(): void {
    const condition = this.generator.condition(1);
    if (this.#random.chance(20)) this.table.remove((t) => [t.id.gte(this.#firstId)]);
    else if (this.#random.chance(2)) this.table.remove([condition]);
    else this.table.modify([condition], this.#changes());
  }

  #rollBack(): void {
    const failure = new Error('meant to fail');
    const work = () => {
      this.table.update(this.#anyId(), this.generator.values());
      this.#write();
      throw failure;
    };
    assert.throws(() => this.table.transaction(work), failure);
  }

  #changes() {
    const { title, label = null, score = null } = this.generator.values();
    return this.#random.pick<Changes<Everything>>([{ title }, { label, score }]);
  }
}
