import { pick, randomOf } from './random.ts';

/** A row as a client would send it; ids are assigned in order, from 1. */
export interface Row {
  readonly title: string;
  readonly description: string;
  readonly completed: boolean;
  readonly priority: number;
}

const DISTINCT_WORDS = 4000;
const SEED = 20_261_120;

const COMMON =
  'the and for with from call plan book team week list mail this that report review order check update meeting'.split(
    ' ',
  );
const ONSETS =
  'b c d f g h j k l m n p qu r s t v w y z br ch cl cr dr fl gr pl pr sh sl sp st tr'.split(' ');
const VOWELS = 'a e i o u a e i o ea ou ai ee'.split(' ');
const CODAS = ['', '', '', ...'n r s t l m d ck nd ng st rt ll nt'.split(' ')];
const CJK = '买牛奶会议报告计划明天电话项目完成検討資料作成연락처회의준비'.split('');
const ACCENTS: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'ï',
  o: 'ö',
  u: 'ü',
  n: 'ñ',
  s: 'ß',
};

const WORDS = words();
const CUMULATIVE = zipf(WORDS.length);

/**
 * The row with an id, the same one on each call. Titles have about 30 characters and descriptions
 * about 100; words follow Zipf's law; one row in ten has accents or CJK.
 */
export function rowOf(id: number): Row {
  const random = randomOf(Math.imul(id, 0x9e3779b1) ^ SEED);
  const foreign = id % 10 === 0;
  const row = {
    title: text(random, 22 + random() * 12, foreign),
    description: text(random, 80 + random() * 34, foreign),
    completed: random() < 0.3,
    priority: 1 + Math.floor(random() * 5),
  };
  // Parsed from JSON, as the service receives rows: concatenated strings become flat ones.
  return JSON.parse(JSON.stringify(row));
}

/** The rows with the ids 1 to `count`. */
export function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => rowOf(index + 1));
}

function text(random: () => number, length: number, foreign: boolean): string {
  let line = capitalised(word(random));
  while (line.length < length) line += ` ${word(random)}`;
  return foreign ? madeForeign(random, line) : line;
}

function madeForeign(random: () => number, line: string): string {
  if (random() < 0.5) return line.replace(/[aeiouns]/g, (letter) => ACCENTS[letter] ?? letter);
  const cjk = Array.from({ length: Math.ceil(line.length / 4) }, () => pick(random, CJK)).join('');
  return `${line.slice(0, line.length / 2)} ${cjk}`;
}

function word(random: () => number): string {
  const wanted = random();
  let low = 0;
  let high = WORDS.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((CUMULATIVE[middle] ?? 1) < wanted) low = middle + 1;
    else high = middle;
  }
  return WORDS[low] ?? '';
}

function words(): string[] {
  const random = randomOf(SEED);
  const all = new Set(COMMON);
  while (all.size < DISTINCT_WORDS) {
    let made = '';
    const syllables = 1 + Math.floor(random() * 2 + all.size / DISTINCT_WORDS);
    for (let i = 0; i < syllables; i++) {
      made += pick(random, ONSETS) + pick(random, VOWELS) + pick(random, CODAS);
    }
    all.add(made);
  }
  return [...all];
}

/**
 * The probability that a word has rank `i` or lower, if the k-th word is 1/k times as frequent as
 * the first.
 */
function zipf(count: number): Float64Array {
  const cumulative = new Float64Array(count);
  let sum = 0;
  for (let rank = 1; rank <= count; rank++) {
    sum += 1 / rank;
    cumulative[rank - 1] = sum;
  }
  return cumulative.map((value) => value / sum);
}

function capitalised(line: string): string {
  return line.charAt(0).toUpperCase() + line.slice(1);
}
