import { needlesMatching } from '../lib/needles.ts';
import { pick, randomOf } from '../lib/random.ts';
import { type Row, rowOf } from '../lib/rows.ts';
import { scratch } from '../lib/scratch.ts';

/** A kind of request. */
export type Kind = 'get' | 'list' | 'page' | 'search' | 'put' | 'post' | 'mixed';

export const TITLES: Readonly<Record<Kind, string>> = {
  get: 'GET by id',
  list: 'GET list',
  page: 'GET list, 20 rows somewhere',
  search: 'GET search, 30 match',
  put: 'PUT',
  post: 'POST',
  mixed: 'mixed',
};

const REQUESTS = 2000;
const ROWS_OF_A_PAGE = 20;
/** The first of the rows that no server has yet, used for new texts. */
const NEW_ROWS = 50_000_000;

/** A file of distinct requests of a kind for the rows 1 to `count`. */
export function requestFile(kind: Kind, rows: readonly Row[]): string {
  const lines = kind === 'mixed' ? mixed(rows) : linesOf(kind, rows, REQUESTS);
  return scratch(`${kind}-${rows.length}.txt`, `${lines.join('\n')}\n`);
}

/** Needles that about 30 rows match. */
export function needlesFor(rows: readonly Row[]): string[] {
  return needlesMatching(rows, { min: 25, max: 35, wanted: 40 });
}

/** 80 % get, 10 % page, 5 % search, 2.5 % POST and 2.5 % PUT, in random order. */
function mixed(rows: readonly Row[]): string[] {
  const shares = { get: 80, page: 10, search: 5, put: 2.5, post: 2.5 } as const;
  const random = randomOf(2);
  return Object.entries(shares)
    .flatMap(([kind, percent]) =>
      linesOf(kind as keyof typeof shares, rows, (REQUESTS * percent) / 10),
    )
    .map((line) => ({ line, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ line }) => line);
}

function linesOf(kind: Exclude<Kind, 'mixed'>, rows: readonly Row[], count: number): string[] {
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
