/*
 * How many slices should a signature have? Signs rows with texts of several kinds in signatures of
 * several sizes, and searches them:
 *
 *     npm run bench:slices -- --rows 100000
 */
import { parseArgs } from 'node:util';
import { countBits } from '../src/lib/table/bits.ts';
import { gramsOf, searchedParts } from '../src/lib/table/pages/grams.ts';
import { type Region, Signature } from '../src/lib/table/pages/signature.ts';
import { fold } from '../src/lib/table/text/case-folding.ts';
import { pick, randomOf } from './lib/random.ts';
import { machine, publish, table } from './lib/report.ts';
import { rowsOf } from './lib/rows.ts';
import { digits, median } from './lib/stats.ts';

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, into: { type: 'string' } },
});

const ROWS = Number(options.rows);
const PAGE_WORDS = 128;
const PAGE_ROWS = PAGE_WORDS * 32;
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
  sign(texts.slice(0, PAGE_ROWS), slices);
  const start = performance.now();
  const regions = sign(texts, slices);
  const signing = ((performance.now() - start) * 1000) / texts.length;
  const needles = Array.from({ length: NEEDLES }, () => {
    const text = pick(random, texts);
    const from = Math.floor(random() * (text.length - 8));
    return text.slice(from, from + 8);
  });
  let candidates = 0;
  for (const needle of needles) candidates += search(regions, needle, (mask) => countBits(mask));
  let matches = 0;
  for (const needle of needles) for (const text of texts) if (text.includes(needle)) matches++;
  const times = Array.from({ length: ROUNDS }, () => {
    const begin = performance.now();
    for (const needle of needles) search(regions, needle, () => 0);
    return ((performance.now() - begin) * 1000) / NEEDLES;
  });
  const signatures = new Set(regions.map(({ signature }) => signature));
  let bytes = 0;
  for (const signature of signatures) bytes += signature.bytes;
  return [
    label,
    String(slices),
    digits(bytes / texts.length),
    `${digits(signing)} µs`,
    digits(((candidates - matches) / NEEDLES / texts.length) * 100_000),
    `${digits((median(times) / texts.length) * 100_000)} µs`,
  ];
}

function sign(texts: readonly string[], slices: number): readonly Region[] {
  const regions: Region[] = [];
  let signature = new Signature(slices);
  for (let first = 0; first < texts.length; first += PAGE_ROWS) {
    if (signature.placeFor(PAGE_WORDS) === undefined) signature = new Signature(slices);
    const firstWord = signature.placeFor(PAGE_WORDS) ?? 0;
    const region = { signature, firstWord, words: PAGE_WORDS, rows: 0, signed: 0, stale: 0 };
    regions.push(region);
    signature.grow(firstWord + PAGE_WORDS);
    signature.takeWords(firstWord, PAGE_WORDS);
    for (let at = 0; at < Math.min(PAGE_ROWS, texts.length - first); at++) {
      const text = texts[first + at] ?? '';
      signature.mark(region, at, text);
      signature.sign(region, at, text.length);
    }
  }
  // Positions without a row count as signed.
  const last = regions.at(-1);
  const end = texts.length % PAGE_ROWS;
  for (let at = end; last && end > 0 && at < PAGE_ROWS; at++) {
    signature.sign(last, at, 0);
  }
  return regions;
}

function search(
  regions: readonly Region[],
  needle: string,
  count: (found: Int32Array) => number,
): number {
  const grams = gramsOf(searchedParts([needle]));
  let rarest: readonly number[] | undefined;
  let found = 0;
  for (const signature of new Set(regions.map((region) => region.signature))) {
    rarest ??= signature.rarest(grams);
    if (signature.lacks(grams)) continue;
    const mask = new Int32Array(signature.words).fill(-1);
    signature.narrow(rarest, 0, signature.words, mask, mask);
    found += count(mask);
  }
  return found;
}
