import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';

/*
 * A program that fills a table and compares the bytes it counts with the memory the process uses.
 * It prints a line for each kind of rows.
 */

const schema = {
  id: { kind: 'bigint', identity: { from: 1n, to: 2n ** 63n - 1n } },
  title: { kind: 'text' },
  description: { kind: 'text', nullable: true },
  completed: { kind: 'boolean', default: false },
  priority: { kind: 'integer', default: 3 },
  size: { kind: 'bigint' },
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

const charactersFrom =
  (first: number, count: number): Text =>
  (row, length) =>
    String.fromCodePoint(
      ...Array.from({ length }, (_, i) => first + (scrambled(row * 997 + i) % count)),
    );

const TEXTS = {
  words: (row, length) => {
    let text = '';
    for (let i = 0; text.length < length; i++) {
      text += `${WORDS[scrambled(row * 997 + i) % WORDS.length]} `;
    }
    return text.slice(0, length);
  },
  'random ASCII': charactersFrom(0x21, 94),
  German: charactersFrom(0xc0, 64),
  Chinese: charactersFrom(0x4e00, 3000),
  emoji: charactersFrom(0x1f600, 64),
} satisfies Record<string, Text>;

interface Rows {
  readonly text: keyof typeof TEXTS;
  readonly rows: number;
  /** The distance of two ids. */
  readonly distance?: number;
  /** The lengths of title and description. */
  readonly lengths: readonly [number, number];
}

const SHORT = [20, 40] as const;
const LONG = [200, 1000] as const;

const KINDS: Readonly<Record<string, Rows>> = {
  'short words': { text: 'words', rows: 12_000, lengths: SHORT },
  'long words': { text: 'words', rows: 2000, lengths: LONG },
  'long random ASCII': { text: 'random ASCII', rows: 2000, lengths: LONG },
  'short German': { text: 'German', rows: 9000, lengths: SHORT },
  'short Chinese': { text: 'Chinese', rows: 9000, lengths: SHORT },
  'long Chinese': { text: 'Chinese', rows: 2000, lengths: LONG },
  'short emoji': { text: 'emoji', rows: 9000, lengths: SHORT },
  'every 2nd id': { text: 'words', rows: 9000, lengths: SHORT, distance: 2 },
  'every 50th id': { text: 'words', rows: 5000, lengths: SHORT, distance: 50 },
  'every 4,096th id': { text: 'words', rows: 4000, lengths: SHORT, distance: 4096 },
};

function filled({ text, rows, distance = 1, lengths }: Rows): Table<typeof schema> {
  const table = new Table(schema);
  for (let row = 1; row <= rows; row++) {
    // Parsed from JSON, like items of a request: parsed strings share no memory.
    const json = JSON.stringify({
      title: TEXTS[text](row, lengths[0]),
      description: row % 7 === 0 ? null : TEXTS[text](row + rows, lengths[1]),
      completed: row % 2 === 0,
      priority: row % 5,
      createdAt: new Date(Date.UTC(2026, 0, 1) + row * 1000).toISOString().slice(0, -1),
    });
    table.insert({ ...JSON.parse(json), size: BigInt(row) }, BigInt(row * distance));
  }
  return table;
}

/** The memory in use without garbage: collects until that no longer helps. */
async function used(): Promise<number> {
  const { gc } = globalThis;
  if (!gc) throw new Error('run this with --expose-gc');
  let least = Number.POSITIVE_INFINITY;
  for (let fruitless = 0; fruitless < 3; fruitless++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
    // `external` includes array buffers.
    const { heapUsed, external } = process.memoryUsage();
    if (heapUsed + external < least - 10_000) fruitless = 0;
    least = Math.min(least, heapUsed + external);
  }
  return least;
}

/** Keeps a table in memory until it has been measured. */
let kept: Table<typeof schema> | undefined;

for (const [kind, rows] of Object.entries(KINDS)) {
  // Runs once before measuring, to load code and permanent tables.
  filled({ ...rows, rows: 200 });
  const before = await used();
  kept = filled(rows);
  const measured = (await used()) - before;
  process.stdout.write(`${JSON.stringify({ kind, counted: kept.bytes, measured })}\n`);
  kept = undefined;
}
