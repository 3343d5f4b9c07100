import { Figures } from '../lib/figures.ts';
import { progress, table, verdict } from '../lib/report.ts';
import { scratch } from '../lib/scratch.ts';
import { alternating, digits } from '../lib/stats.ts';
import { SECONDS_TO_SPEED } from '../lib/warm-up.ts';
import { load } from '../lib/wrk.ts';
import { OURS, startWithRows } from './programs.ts';

const SHARE = 0.9;
const LIST = '/api/todos';
const UNCHANGED = 'GET list, 304';
const UNKNOWN = 'GET of an unknown path, 404';

/** What polling a long list costs while nothing changes, beside the cheapest answer there is. */
export async function unchanged(rows: number, rounds: number, seconds: number): Promise<string> {
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    progress(`unchanged, round ${round + 1} of ${rounds}`);
    for (const server of await startWithRows(OURS, rows)) {
      const { headers } = await fetch(`http://127.0.0.1:${server.port}${LIST}`, { method: 'HEAD' });
      const requests = [
        [UNCHANGED, `GET\t${LIST}\t\t${headers.get('etag')}\n`, false],
        [UNKNOWN, 'GET\t/api/tasks\n', true],
      ] as const;
      for (const [name, line, errors] of alternating(requests, round)) {
        const file = scratch(`unchanged-${errors}.txt`, line);
        await load(server, file, SECONDS_TO_SPEED, { errors });
        figures.add(server.name, name, (await load(server, file, seconds, { errors })).perSecond);
      }
      await server.stop();
    }
  }
  return table(
    [
      `${rows.toLocaleString('en-US')} rows, requests a second`,
      UNCHANGED,
      UNKNOWN,
      `at least ${SHARE} of it`,
      '',
    ],
    OURS.map(({ name }) => {
      const ratio = figures.ratio(name, UNCHANGED, UNKNOWN);
      const rates = [UNCHANGED, UNKNOWN].map((what) => digits(figures.of(name, what)));
      return [name, ...rates, ratio.toFixed(2), verdict(ratio >= SHARE)];
    }),
  );
}
