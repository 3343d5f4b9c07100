import { needlesMatching } from '../lib/needles.ts';
import { pick, randomOf } from '../lib/random.ts';
import { type Row, rowOf } from '../lib/rows.ts';
import { scratch } from '../lib/scratch.ts';

/** The kinds of request. The last one changes the number of rows. */
export const TITLES = {
  get: 'GET by id',
  list: 'GET list',
  search: 'GET search, 30 match',
  put: 'PUT',
  post: 'POST',
} as const;
export type Kind = keyof typeof TITLES;

const REQUESTS = 2_000;
const ROWS_OF_A_BATCH = 100;
/** The first of the rows that no server has yet, used for new texts. */
const NEW_ROWS = 50_000_000;

/** Search terms that about 30 rows match. */
export function termsFor(rows: readonly Row[]): string[] {
  return needlesMatching(rows, { min: 25, max: 35, wanted: 40 });
}

/** Writes distinct requests of a kind for the rows to a file of `requests.lua`. */
export function requestFile(kind: Kind, rows: readonly Row[]): string {
  return requestsIn(kind, linesOf(kind, rows));
}

/** Writes requests for batches of 100 items to a file of `requests.lua`. */
export function batchFile(): string {
  const items = Array.from({ length: ROWS_OF_A_BATCH }, (_, i) => newRow(i));
  return requestsIn('batch', [`POST\t/batch\t[${items.join()}]`]);
}

/** The content of a create. */
export function newRow(i: number): string {
  const { title, description, priority } = rowOf(NEW_ROWS + i);
  return JSON.stringify({ title, description, priority });
}

function requestsIn(name: string, lines: readonly string[]): string {
  return scratch(`${name}.txt`, `${lines.join('\n')}\n`);
}

function linesOf(kind: Kind, rows: readonly Row[]): readonly string[] {
  const random = randomOf(1);
  const anyId = () => 1 + Math.floor(random() * rows.length);
  const lines = (line: (i: number) => string) =>
    Array.from({ length: REQUESTS }, (_, i) => line(i));
  switch (kind) {
    case 'get':
      return lines(() => `GET\t/${anyId()}`);
    case 'list':
      return ['GET\t'];
    case 'search': {
      const terms = termsFor(rows);
      return lines(() => `GET\t?search=${encodeURIComponent(pick(random, terms))}`);
    }
    case 'put':
      return lines((i) => `PUT\t/${anyId()}\t${JSON.stringify(rowOf(NEW_ROWS + i))}`);
    case 'post':
      return lines((i) => `POST\t\t${newRow(i)}`);
  }
}
