import { Figures } from '../lib/figures.ts';
import { progress, table } from '../lib/report.ts';
import { rowsOf } from '../lib/rows.ts';
import { alternating, digits } from '../lib/stats.ts';
import { load } from '../lib/wrk.ts';
import { OTHERS, OURS, startWithRows } from './programs.ts';
import { requestFile } from './requests.ts';

const ROWS = 100_000;

/** 80 % get, 10 % list page, 5 % search, 5 % write: requests per second with 100,000 rows. */
export async function mixedWork(rounds: number, seconds: number): Promise<string> {
  const programs = [...OURS, ...OTHERS];
  const servers = await startWithRows(programs, ROWS);
  const file = requestFile('mixed', rowsOf(ROWS));
  for (const server of servers) await load(server, file, 2);
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    for (const server of alternating(servers, round)) {
      const { perSecond } = await load(server, file, seconds);
      progress(`mixed, ${round + 1} of ${rounds}: ${server.name}, ${digits(perSecond)}/s`);
      figures.add('mixed', server.name, perSecond);
    }
  }
  for (const server of servers) await server.stop();
  const lines = servers.map(({ name }) => [
    name,
    digits(figures.of('mixed', name)),
    ...OURS.map((ours) =>
      ours.name === name ? '' : `${digits(figures.ratio('mixed', ours.name, name))} ×`,
    ),
  ]);
  const title = `mixed work, ${ROWS.toLocaleString('en-US')} rows`;
  return table(
    [title, 'requests a second', ...OURS.map(({ name }) => `${name} against it`)],
    lines,
  );
}
