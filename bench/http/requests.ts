import { needlesMatching } from '../lib/needles.ts';
import { pick, randomOf } from '../lib/random.ts';
import { type Row, rowOf } from '../lib/rows.ts';
import { scratch } from '../lib/scratch.ts';

/** A kind of request. */
export type Kind = 'get' | 'list' | 'page' | 'search' | 'put' | 'post';

export const TITLES: Readonly<Record<Kind, string>> = {
  get: 'GET by id',
  list: 'GET list',
  page: 'GET list, 20 rows somewhere',
  search: 'GET search, 30 match',
  put: 'PUT',
  post: 'POST',
};

const REQUESTS = 2000;
const ROWS_OF_A_PAGE = 20;
/** The first of the rows that no server has yet, used for new texts. */
const NEW_ROWS = 50_000_000;

/** A file of distinct requests of a kind for the rows 1 to `count`. */
export function requestFile(kind: Kind, rows: readonly Row[]): string {
  const lines = linesOf(kind, rows, REQUESTS);
  return scratch(`${kind}-${rows.length}.txt`, `${lines.join('\n')}\n`);
}

/** Needles that about 30 rows match. */
export function needlesFor(rows: readonly Row[]): string[] {
  return needlesMatching(rows, { min: 25, max: 35, wanted: 40 });
}

function linesOf(kind: Kind, rows: readonly Row[], count: number): string[] {
  const random = randomOf(1);
  const anyId = () => 1 + Math.floor(random() * rows.length);
  const lines = (line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i));
  switch (kind) {
    case 'get':
      return lines(() => `GET\t/api/todos/${anyId()}`);
    case 'list':
      return ['GET\t/api/todos'];
    case 'page': {
      const offset = () => Math.floor(random() * (rows.length - ROWS_OF_A_PAGE));
      return lines(() => `GET\t/api/todos?limit=${ROWS_OF_A_PAGE}&offset=${offset()}`);
    }
    case 'search': {
      const needles = needlesFor(rows);
      return lines(() => `GET\t/api/todos?search=${encodeURIComponent(pick(random, needles))}`);
    }
    case 'put':
      return lines((i) => `PUT\t/api/todos/${anyId()}\t${JSON.stringify(rowOf(NEW_ROWS + i))}`);
    case 'post':
      return lines((i) => {
        const { title, description, priority } = rowOf(NEW_ROWS + i);
        return `POST\t/api/todos\t${JSON.stringify({ title, description, priority })}`;
      });
  }
}
