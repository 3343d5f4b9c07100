/*
 * How many slices should a block of texts have? Signs rows with texts of several kinds in blocks of
 * several sizes, and searches them:
 *
 *     node bench/slices.ts --rows 100000
 */
import { parseArgs } from 'node:util';
import { countBits, setBits } from '../src/lib/table/bits.ts';
import { CHUNK_SLOTS, CHUNK_WORDS } from '../src/lib/table/slots.ts';
import { fold } from '../src/lib/table/text/case-folding.ts';
import { gramsOf, searchedPart } from '../src/lib/table/texts/grams.ts';
import { TextBlock } from '../src/lib/table/texts/text-block.ts';
import { pick, randomOf } from './lib/random.ts';
import { machine, publish, table } from './lib/report.ts';
import { rowsOf } from './lib/rows.ts';
import { digits, median } from './lib/stats.ts';

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, into: { type: 'string' } },
});

const ROWS = Number(options.rows);
const NEEDLES = 200;
const ROUNDS = 5;

const random = randomOf(1);
const charactersFrom = (first: number, count: number, length: number) =>
  Array.from({ length }, () => String.fromCharCode(first + Math.floor(random() * count))).join('');

const rows = rowsOf(ROWS);
/** Texts of each kind, one for each row. */
const KINDS: Readonly<Record<string, () => readonly string[]>> = {
  'English, 30': () => rows.map(({ title }) => title),
  'English, 130': () => rows.map(({ title, description }) => `${title}\n${description}`),
  'English, 1,000': () =>
    rows
      .slice(0, ROWS / 5)
      .map((_, i) =>
        Array.from({ length: 10 }, (_, j) => rows[(i + j * 7) % ROWS]?.description).join(' '),
      ),
  'Chinese, 40': () => rows.map(() => charactersFrom(0x4e00, 3000, 40)),
  'random letters, 130': () => rows.map(() => charactersFrom(97, 26, 130)),
};

const SLICES_PER_UNIT = [3, 6, 9, 12, 18];

const report = Object.entries(KINDS).map(([kind, textsOf]) => {
  const texts = textsOf().map(fold);
  const units = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  const lines = SLICES_PER_UNIT.map((perUnit) => {
    const slices = Math.max(64, Math.min(8192, Math.round((perUnit * units) / 64) * 64));
    return measured(texts, slices, String(perUnit));
  });
  const head = ['slices a unit', 'slices', 'bytes a row', 'signing', 'false', 'search'];
  return `${kind}\n\n${table(head, lines)}`;
});
publish('bench:slices', [machine(), ...report].join('\n\n'), options.into);

function measured(texts: readonly string[], slices: number, label: string): string[] {
  sign(texts.slice(0, CHUNK_SLOTS), slices);
  const start = performance.now();
  const blocks = sign(texts, slices);
  const signing = ((performance.now() - start) * 1000) / texts.length;
  const needles = Array.from({ length: NEEDLES }, () => {
    const text = pick(random, texts);
    const from = Math.floor(random() * (text.length - 8));
    return text.slice(from, from + 8);
  });
  let candidates = 0;
  for (const needle of needles) candidates += search(blocks, needle, (mask) => countBits(mask));
  let matches = 0;
  for (const needle of needles) for (const text of texts) if (text.includes(needle)) matches++;
  const times = Array.from({ length: ROUNDS }, () => {
    const begin = performance.now();
    for (const needle of needles) search(blocks, needle, () => 0);
    return ((performance.now() - begin) * 1000) / NEEDLES;
  });
  const bytes = blocks.reduce((sum, { block }) => sum + block.bytes, 0);
  return [
    label,
    String(slices),
    digits(bytes / texts.length),
    `${digits(signing)} µs`,
    digits(((candidates - matches) / NEEDLES / texts.length) * 100_000),
    `${digits((median(times) / texts.length) * 100_000)} µs`,
  ];
}

interface Signed {
  readonly block: TextBlock;
  readonly rows: number;
}

function sign(texts: readonly string[], slices: number): readonly Signed[] {
  const blocks: Signed[] = [];
  for (let first = 0; first < texts.length; first += CHUNK_SLOTS) {
    const block = new TextBlock(slices);
    const rows = Math.min(CHUNK_SLOTS, texts.length - first);
    block.grow(Math.ceil(rows / 32));
    for (let at = 0; at < rows; at++) {
      const text = texts[first + at] ?? '';
      block.mark(block.positionOf(at), text);
      block.count(text.length, true);
    }
    blocks.push({ block, rows });
  }
  return blocks;
}

function search(
  blocks: readonly Signed[],
  needle: string,
  count: (found: Int32Array) => number,
): number {
  const grams = gramsOf(searchedPart(needle) ?? '');
  let rarest: readonly number[] | undefined;
  let found = 0;
  for (const { block, rows } of blocks) {
    rarest ??= block.rarest(grams);
    if (block.lacks(grams)) continue;
    const mask = new Int32Array(CHUNK_WORDS);
    setBits(mask, 0, rows);
    block.narrow(rarest, rows, Math.ceil(rows / 32), mask);
    found += count(mask);
  }
  return found;
}
