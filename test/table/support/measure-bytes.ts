import type { Schema } from '../../../src/table/schema/column.ts';
import { Table } from '../../../src/table/table.ts';

/*
 * A program that fills a table and compares the bytes it counts with the memory the process uses.
 * It prints a line for each kind of text.
 */

const schema = {
  id: { kind: 'bigint', identity: { from: 1n, to: 2n ** 63n - 1n } },
  title: { kind: 'text', index: 'substring' },
  description: { kind: 'text', nullable: true, index: 'substring' },
  completed: { kind: 'boolean', default: false },
  priority: { kind: 'integer', default: 3 },
  size: { kind: 'bigint', index: 'ordered' },
  createdAt: { kind: 'timestamp' },
} as const satisfies Schema;

type Text = (row: number, length: number) => string;

/** A deterministic number that looks random. */
function scrambled(n: number): number {
  return Math.imul(n ^ (n >>> 15), 0x2c1b3c6d) >>> 0;
}

const WORDS = Array.from({ length: 3000 }, (_, i) => {
  const letters = Array.from({ length: 2 + (scrambled(i) % 8) }, (_, j) => scrambled(i * 31 + j));
  return letters.map((letter) => String.fromCharCode(97 + (letter % 26))).join('');
});

const TEXTS: Readonly<Record<string, Text>> = {
  words: (row, length) => {
    let text = '';
    for (let i = 0; text.length < length; i++) {
      text += `${WORDS[scrambled(row * 997 + i) % WORDS.length]} `;
    }
    return text.slice(0, length);
  },
  Capitals: (row, length) => `Row ${row} ${'Abc '.repeat(length)}`.slice(0, length),
  emoji: (row, length) =>
    Array.from({ length }, (_, i) =>
      String.fromCodePoint(0x1f600 + (scrambled(row * 997 + i) % 64)),
    ).join(''),
  'U+10400': (_, length) => '\u{10400}'.repeat(length),
};

const LENGTHS: Readonly<Record<string, readonly [rows: number, title: number, rest: number]>> = {
  short: [15_000, 10, 20],
  long: [2_000, 200, 1000],
};

/** A filled table that can be told to index everything. */
function filled(text: Text, [rows, titleLength, length]: readonly [number, number, number]) {
  const tasks: (() => void)[] = [];
  const table = new Table(schema, { schedule: (task) => tasks.push(task) });
  for (let row = 1; row <= rows; row++) {
    // Parsed from JSON, like items of a request: parsed strings share no memory.
    const json = JSON.stringify({
      title: text(row, titleLength),
      description: length > 0 ? text(row + rows, length) : null,
      createdAt: new Date(Date.UTC(2026, 0, 1) + row * 1000).toISOString().slice(0, -1),
    });
    table.insert({ ...JSON.parse(json), size: BigInt(row) });
  }
  const index = () => {
    while (tasks.length > 0) tasks.shift()?.();
    table.count((t) => [t.title.containsIgnoreCase('QQQ')]);
    table.count((t) => [t.description.containsIgnoreCase('ABCD')]);
    while (tasks.length > 0) tasks.shift()?.();
  };
  return { table, index };
}

/** The memory in use without garbage: collects until that no longer helps. */
async function used(): Promise<number> {
  const { gc } = globalThis;
  if (!gc) throw new Error('run this with --expose-gc');
  let bytes = Number.POSITIVE_INFINITY;
  for (let isStable = false; !isStable; ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    gc();
    const { heapUsed, external } = process.memoryUsage();
    isStable = Math.abs(heapUsed + external - bytes) < 10_000;
    bytes = heapUsed + external;
  }
  return bytes;
}

async function measure(text: Text, sizes: readonly [number, number, number]) {
  const before = await used();
  const { table, index } = filled(text, sizes);
  const pending = table.stats().bytes.total;
  const written = (await used()) - before;
  index();
  const measured = (await used()) - before;
  return { counted: table.stats().bytes.total, measured, pending, written };
}

for (const [name, text] of Object.entries(TEXTS)) {
  for (const [length, sizes] of Object.entries(LENGTHS)) {
    // Runs once before measuring, to load code and permanent tables.
    filled(text, [200, sizes[1], sizes[2]]).index();
    const line = { kind: `${name}, ${length}`, ...(await measure(text, sizes)) };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
}
