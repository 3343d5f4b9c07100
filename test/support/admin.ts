import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Fault, ListedFault } from '../../src/service/faults/fault.ts';
import { readSeed } from '../../src/service/items/seed.ts';
import type { JournalEntry } from '../../src/service/journal/journal-entry.ts';
import type { Definition } from '../../src/service/resource/definition.ts';
import { rulesOf } from '../../src/service/resource/definition.ts';
import { rawClientFor } from './raw.ts';
import type { Answer } from './requests.ts';
import { startApp, type TestOptions } from './service.ts';

export const TOKEN = 'a-b.c_d~e+f/1==';
export const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

export const SEED = [
  { title: 'first' },
  { title: 'second', description: 'with words', priority: 5, completed: true },
  { title: 'third' },
];

/** Starts a service with admin paths and a seed of three items. */
export async function startAdmin(
  test: TestContext,
  variant: Definition,
  { env, ...options }: TestOptions = {},
) {
  const seed = readSeed(SEED, rulesOf(variant, true), 'the seed is invalid');
  const service = await startApp(test, variant, {
    seed,
    ...options,
    env: { ADMIN_TOKEN: TOKEN, ...env },
  });
  /** Sends a text as JSON, with the token. */
  const adminText = (
    method: string,
    path: string,
    body?: string,
    more: Record<string, string> = {},
  ): Promise<Answer> =>
    service.client.request(method, path, {
      headers: { ...AUTHORIZED, 'content-type': 'application/json', ...more },
      ...(body !== undefined && { body }),
    });
  /** Sends a value as JSON, with the token. */
  const admin = (method: string, path: string, value?: unknown, more?: Record<string, string>) =>
    adminText(method, path, JSON.stringify(value), more);
  const setFaults = async (...faults: Fault[]) => {
    const answer = await admin('PUT', '/admin/faults', { faults });
    assert.equal(answer.status, 200, answer.text);
  };
  const faults = async () =>
    (await admin('GET', '/admin/faults')).json<{ faults: ListedFault[] }>().faults;
  /** The requests in the journal, or those that a query string finds. */
  const requests = async (query = '') => {
    const answer = await admin('GET', `/admin/requests${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json<{ requests: JournalEntry[] }>().requests;
  };
  const connect = () => rawClientFor(test, service.port);
  return { ...service, admin, adminText, setFaults, faults, requests, connect };
}
