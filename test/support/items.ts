import assert from 'node:assert/strict';
import type { Client } from './client.ts';
import { LIST } from './paths.ts';

/** The titles of all items, by ascending id. */
export async function titles(client: Pick<Client, 'get'>): Promise<string[]> {
  const answer = await client.get(LIST);
  assert.equal(answer.status, 200, answer.text);
  return answer.json<{ title: string }[]>().map(({ title }) => title);
}

/** Creates an item, and returns its id. */
export async function create(client: Pick<Client, 'post'>, title: string): Promise<number> {
  const answer = await client.post(LIST, { title });
  assert.equal(answer.status, 201, answer.text);
  return answer.json().id;
}
