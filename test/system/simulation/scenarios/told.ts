import assert from 'node:assert/strict';
import type { Answer, Client } from '../../../support/client.ts';

/** What clients were told of their creates, by title. */
export interface Told {
  readonly done: string[];
  readonly notDone: string[];
  readonly unknown: string[];
}

/** Creates items one after the other, each with its own title. */
export async function createAll(
  client: Pick<Client, 'post'>,
  prefix: string,
  count: number,
): Promise<Told> {
  const told: Told = { done: [], notDone: [], unknown: [] };
  for (let i = 0; i < count; i++) {
    const title = `${prefix}${i}`;
    const answer = await client.post('/api/todos', { title });
    if (answer.status === 201) told.done.push(title);
    else (codeOf(answer) === 'outcome-unknown' ? told.unknown : told.notDone).push(title);
  }
  return told;
}

function codeOf(answer: Answer): string {
  const { code } = answer.json<{ code: string }>();
  assert(code === 'store-unavailable' || code === 'outcome-unknown', answer.text);
  return code;
}

/** Asserts that what clients were told is what happened. */
export function assertTrue(stored: readonly string[], { done, notDone, unknown }: Told): void {
  const timesOf = (title: string) => stored.filter((each) => each === title).length;
  for (const title of done) assert.equal(timesOf(title), 1, `${title} was acknowledged`);
  for (const title of notDone) assert.equal(timesOf(title), 0, `${title} had not happened`);
  for (const title of unknown) assert(timesOf(title) <= 1, `${title} happened more than once`);
}
