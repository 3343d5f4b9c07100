import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { LIST } from '../../support/paths.ts';

/** How long a healthy client waited for pages of one item, in milliseconds. */
export interface Waits {
  readonly median: number;
  readonly max: number;
  /** Other outcomes than a page: statuses and errors. */
  readonly failures: readonly string[];
}

/** Requests pages of one item on its own connection until `isOver` returns true. */
export async function requestUntil(baseUrl: string, isOver: () => boolean): Promise<Waits> {
  const agent = new Agent({ connections: 1 });
  const times: number[] = [];
  const failures: string[] = [];
  while (!isOver()) {
    const start = performance.now();
    try {
      const response = await request(`${baseUrl}${LIST}?limit=1`, { dispatcher: agent });
      await response.body.dump();
      times.push(performance.now() - start);
      if (response.statusCode !== 200) failures.push(String(response.statusCode));
    } catch (error) {
      failures.push(String(error));
    }
    await sleep(50);
  }
  await agent.close();
  times.sort((a, b) => a - b);
  return { median: times[times.length >> 1] ?? -1, max: times.at(-1) ?? -1, failures };
}
