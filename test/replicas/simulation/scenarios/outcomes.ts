import assert from 'node:assert/strict';
import type { Client } from '../../../support/client.ts';
import type { Answer } from '../../../support/requests.ts';

/** The titles of creates, by the outcome that their responses state. */
export interface Outcomes {
  readonly done: string[];
  readonly notDone: string[];
  readonly unknown: string[];
}

/** Creates items one after the other, each with its own title. */
export async function createAll(
  client: Pick<Client, 'post'>,
  prefix: string,
  count: number,
): Promise<Outcomes> {
  const outcomes: Outcomes = { done: [], notDone: [], unknown: [] };
  for (let i = 0; i < count; i++) {
    const title = `${prefix}${i}`;
    const answer = await client.post('/api/todos', { title });
    if (answer.status === 201) outcomes.done.push(title);
    else (codeOf(answer) === 'outcome-unknown' ? outcomes.unknown : outcomes.notDone).push(title);
  }
  return outcomes;
}

function codeOf(answer: Answer): string {
  const { code } = answer.json<{ code: string }>();
  assert(code === 'store-unavailable' || code === 'outcome-unknown', answer.text);
  return code;
}

/** Asserts that the stored rows agree with the outcomes. */
export function assertTrue(stored: readonly string[], { done, notDone, unknown }: Outcomes): void {
  const timesOf = (title: string) => stored.filter((each) => each === title).length;
  for (const title of done) assert.equal(timesOf(title), 1, `${title} was acknowledged`);
  for (const title of notDone) assert.equal(timesOf(title), 0, `${title} had not happened`);
  for (const title of unknown) assert(timesOf(title) <= 1, `${title} happened more than once`);
}
