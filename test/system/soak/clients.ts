import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUTHORIZED } from '../../support/admin.ts';
import type { Client } from '../../support/client.ts';
import { itemPath, LIST } from '../../support/paths.ts';
import type { Random } from '../../support/random.ts';
import { createRequest, getRequest } from '../../support/raw-requests.ts';
import type { Answer, Todo } from '../../support/requests.ts';
import type { ListView } from './list-view.ts';
import type { Write, Writes } from './writes.ts';

/** What the clients of a round share. */
export interface Round {
  readonly client: Client;
  readonly port: number;
  readonly writes: Writes;
  readonly violations: string[];
  /** How often each outcome has been seen, by the kind of the request. */
  readonly outcomes: Map<string, number>;
  /** Whether clients go on. */
  isOn: boolean;
}

/** A client, which acts until its round is over. */
export type Act = (round: Round, list: ListView, random: Random) => Promise<void>;

/**
 * Sends a request, and checks that its outcome is allowed. 503 always is, since the service may have
 * no room; a connection that ends without a response never is.
 * @param allowed the statuses; called when the response is there
 * @returns the response; undefined if there is none
 */
async function ask(
  round: Round,
  kind: string,
  send: () => Promise<Answer>,
  allowed: readonly number[] | (() => readonly number[]),
): Promise<Answer | undefined> {
  const { outcomes, violations } = round;
  const count = (outcome: string) => {
    outcomes.set(`${kind} ${outcome}`, (outcomes.get(`${kind} ${outcome}`) ?? 0) + 1);
  };
  try {
    const answer = await send();
    count(String(answer.status));
    const isRefused = answer.status === 503 && answer.headers['retry-after'] !== undefined;
    const statuses = typeof allowed === 'function' ? allowed() : allowed;
    if (!isRefused && !statuses.includes(answer.status)) {
      violations.push(`${kind}: ${answer.status} ${answer.text.slice(0, 300)}`);
    }
    if (isRefused) await sleep(5);
    return answer;
  } catch (error) {
    count('cut');
    violations.push(`${kind}: cut: ${error}, ${Object(error).cause ?? ''}`);
    return undefined;
  }
}

/** Sends a write, and records its outcome. */
async function write(
  round: Round,
  kind: string,
  written: Write,
  send: () => Promise<Answer>,
  allowed: Parameters<typeof ask>[3],
): Promise<Answer | undefined> {
  const answer = await ask(round, kind, send, allowed);
  written.status = answer?.status;
  written.endedAt = performance.now();
  return answer;
}

/** Writes items of its own, one by one, and reads what it has written. */
export const writesItems: Act = async (round, list, random) => {
  const { client, writes } = round;
  let own: { id: number; tag: string }[] = [];
  let { resets } = list;
  while (round.isOn) {
    if (list.resets !== resets) own = [];
    ({ resets } = list);
    // After a reset, the list may not have its items.
    const orMissing =
      (...statuses: number[]) =>
      () =>
        list.resets === resets ? statuses : [...statuses, 404, 412];
    const item = own[random.below(own.length + 1)];
    const values = { title: '', priority: 1 + random.below(5) };
    if (item === undefined || own.length < 5) {
      const written = writes.add(list);
      const body = { ...values, title: written.mark };
      const send = () => client.post(`${list.path}${LIST}`, body);
      const created = await write(round, 'POST', written, send, [201]);
      if (created?.status === 201) {
        own.push({ id: created.json().id, tag: String(created.headers.etag) });
      }
      continue;
    }
    const path = `${list.path}${itemPath(item.id)}`;
    const action = random.below(own.length > 20 ? 3 : 4);
    if (action === 0) {
      const since = list.moment;
      const deleted = await ask(round, 'DELETE', () => client.delete(path), [204]);
      own = own.filter((each) => each !== item);
      if (deleted?.status === 204 && list.resets === resets) list.deleted(since, item.id);
      // Otherwise it is still there; nobody counts it.
    } else if (action === 1) {
      const read = await ask(round, 'GET', () => client.get(path), orMissing(200));
      if (read?.status === 200) item.tag = String(read.headers.etag);
    } else {
      const written = writes.add(list);
      const body = { ...values, title: written.mark };
      const isConditional = random.chance(3);
      const fields = isConditional ? { 'if-match': item.tag } : {};
      const method = random.chance(2) ? 'PUT' : 'PATCH';
      const send = () =>
        method === 'PUT' ? client.put(path, body, fields) : client.patch(path, body, fields);
      const allowed = isConditional ? orMissing(200, 412) : orMissing(200);
      const changed = await write(round, method, written, send, allowed);
      if (changed?.status === 200) item.tag = String(changed.headers.etag);
    }
  }
};

/** The writes to several items: the query, and the items that it selects. */
function selection(random: Random): { query: string; matches: (item: Todo) => boolean } {
  const priority = 1 + random.below(5);
  return random.chance(2)
    ? { query: 'id.gte=1', matches: () => true }
    : { query: `priority=${priority}`, matches: (item) => item.priority === priority };
}

async function patchMany(
  round: Round,
  list: ListView,
  { query, matches }: ReturnType<typeof selection>,
  id?: string,
): Promise<Write> {
  const written = round.writes.add(list, matches);
  const fields = id === undefined ? {} : { 'x-request-id': id };
  const send = () =>
    round.client.patch(`${list.path}${LIST}?${query}`, { description: written.mark }, fields);
  const answer = await write(round, 'PATCH of several', written, send, [200]);
  if (answer?.status === 200) written.count = answer.json<{ updated: number }>().updated;
  return written;
}

/** Changes many items at once. */
export const patchesMany: Act = async (round, list, random) => {
  while (round.isOn) {
    await patchMany(round, list, selection(random));
    await sleep(random.below(60));
  }
};

/** Sends many writes to several items at the same time. */
export const patchesAtOnce: Act = async (round, list, random) => {
  while (round.isOn) {
    await Promise.all(Array.from({ length: 12 }, () => patchMany(round, list, selection(random))));
    await sleep(300);
  }
};

/** Sends writes to all items, and one to a few items when the service has the others. */
export const patchesInOrder: Act = async (round, list, random) => {
  const { client, writes } = round;
  const all = { query: 'id.gte=1', matches: () => true };
  const few = { query: 'id.lte=3', matches: ({ id }: Todo) => id <= 3 };
  while (round.isOn) {
    const id = `many-${random.below(2 ** 31)}`;
    const many = Array.from({ length: BEFORE }, () => patchMany(round, list, all, id));
    const journal = `${list.path}/admin/requests?count=${BEFORE}&waitMs=5000&header=X-Request-Id:${id}`;
    const arrived = await ask(round, 'journal', () => client.get(journal, AUTHORIZED), [200]);
    const { requests } = arrived?.status === 200 ? arrived.json<Arrived>() : { requests: [] };
    if (requests.length === BEFORE) {
      const last = await patchMany(round, list, few);
      for (const earlier of await Promise.all(many)) writes.inOrder(earlier, last);
    }
    await Promise.all(many);
    await sleep(random.below(100));
  }
};

/** How many writes are sent before the one that must not overtake them. */
const BEFORE = 4;

interface Arrived {
  readonly requests: readonly unknown[];
}

/** Creates items in a batch, and deletes them at once. */
export const createsMany: Act = async (round, list, random) => {
  const { client, writes } = round;
  while (round.isOn) {
    const { resets } = list;
    const written = writes.add(list);
    const size = 1 + random.below(20);
    const batch = Array.from({ length: size }, () => ({ title: written.mark }));
    const created = await write(
      round,
      'batch',
      written,
      () => client.post(`${list.path}${LIST}/batch`, batch),
      [201],
    );
    let left = created?.status === 201 ? size : 0;
    const selected = `${list.path}${LIST}?title=${written.mark}`;
    while (left > 0 && list.resets === resets) {
      const answer = await ask(round, 'DELETE of several', () => client.delete(selected), [200]);
      if (answer?.status !== 200) continue;
      const { deleted } = answer.json<{ deleted: number }>();
      if (deleted !== left && list.resets === resets) {
        round.violations.push(`${list.path}: ${deleted} deleted, but there were ${left}`);
      }
      left = 0;
    }
  }
};

/** Reads the whole list. */
export const readsList: Act = async (round, list, random) => {
  while (round.isOn) {
    const since = list.moment;
    const answer = await ask(round, 'list', () => round.client.get(`${list.path}${LIST}`), [200]);
    if (answer?.status === 200) list.readBy('a reader', since, answer.json<Todo[]>());
    await sleep(random.below(100));
  }
};

/** Searches, filters and sorts. */
export const searches: Act = async (round, list, random) => {
  while (round.isOn) {
    const priority = 1 + random.below(5);
    const query = `search=w&priority=${priority}&sort=-title,description&limit=${random.below(30)}`;
    const send = () => round.client.get(`${list.path}${LIST}?${query}`);
    const answer = await ask(round, 'search', send, [200]);
    if (answer?.status !== 200) continue;
    const items = answer.json<Todo[]>();
    const titles = items.map(({ title }) => title);
    if (
      items.some((item) => item.priority !== priority) ||
      String(titles) !== String([...titles].sort().reverse()) ||
      Number(answer.headers['x-total-count']) < items.length
    ) {
      round.violations.push(`${list.path}: ${query} has found ${answer.text.slice(0, 500)}`);
    }
  }
};

/** Reads the list slowly. It may be cut, but what it has read is a list. */
export const readsSlowly: Act = async (round, list, random) => {
  while (round.isOn) {
    const since = list.moment;
    const socket = connect({ port: round.port, host: '127.0.0.1' }).on('error', () => {});
    socket.write(getRequest(`${list.path}${LIST}`, 'Connection: close\r\n'));
    let text = '';
    for await (const chunk of socket.iterator({ destroyOnReturn: true })) {
      text += chunk.toString('latin1');
      await sleep(random.below(20));
    }
    const [head = '', content = ''] = text.split('\r\n\r\n');
    if (!head.startsWith('HTTP/1.1 200 ')) continue;
    const json = /^transfer-encoding: chunked/im.test(head) ? unchunked(content) : content;
    if (json.endsWith(']')) list.readBy('a slow reader', since, JSON.parse(json));
  }
};

function unchunked(content: string): string {
  let [json, at] = ['', 0];
  for (;;) {
    const end = content.indexOf('\r\n', at);
    const size = Number.parseInt(content.slice(at, end), 16);
    if (!(size > 0)) return json;
    json += content.slice(end + 2, end + 2 + size);
    at = end + 4 + size;
  }
}

/** Asks for lists and does not read them. */
export const readsNothing: Act = async (round, list, random) => {
  while (round.isOn) {
    const sockets = Array.from({ length: 10 }, () => {
      const socket = connect({ port: round.port, host: '127.0.0.1' }).on('error', () => {});
      socket.pause().write(getRequest(`${list.path}${LIST}`));
      return socket;
    });
    await sleep(500 + random.below(1_500));
    for (const socket of sockets) socket.destroy();
  }
};

/** Sends requests, and disconnects at any moment. */
export const disappears: Act = async (round, list, random) => {
  while (round.isOn) {
    const { mark } = round.writes.add(list);
    const many = round.writes.add(list, () => true);
    const body = `{"description":"${many.mark}"}`;
    const create = createRequest({ path: `${list.path}${LIST}`, body: `{"title":"${mark}"}` });
    const patch = createRequest({ path: `${list.path}${LIST}?id.gte=1`, body });
    const request = random.pick([
      create,
      create.slice(0, random.below(create.length)),
      patch.replace(/^POST/, 'PATCH'),
      getRequest(`${list.path}${LIST}`),
      getRequest(`${list.path}${LIST}/events`),
    ]);
    const socket = connect({ port: round.port, host: '127.0.0.1' }).on('error', () => {});
    socket.resume().write(request);
    await sleep(random.below(30));
    if (random.chance(2)) socket.resetAndDestroy();
    else socket.destroy();
  }
};

/** Effects of faults, and whether a request that they cut has been carried out. */
const FAULTS = [
  { status: 503, rate: 0.5 },
  { delayMs: 10, delayMaxMs: 30 },
  { responseDelayMs: 20 },
  { abort: 'before', rate: 0.5 },
  { abort: 'reset' },
  { abort: 'after' },
  { abort: 'truncate' },
  { contentPatch: { extra: [1] }, headers: { 'X-Soak': '1' } },
] as const;

/** Sets faults that hit requests with a field, and sends such requests. */
export const meetsFaults: Act = async (round, list, random) => {
  const { client, writes, violations } = round;
  const requestHeaders = { 'X-Soak': list.path || 'base' };
  while (round.isOn) {
    const { resets } = list;
    const effect = FAULTS[random.below(FAULTS.length)] ?? FAULTS[0];
    const faults = [{ requestHeaders, ...effect }];
    const send = () => client.put(`${list.path}/admin/faults`, { faults }, AUTHORIZED);
    const set = await ask(round, 'faults', send, [200]);
    if (set?.status !== 200) continue;
    for (let i = 0; i < 5; i++) {
      const written = writes.add(list);
      const answer = await client
        .post(`${list.path}${LIST}`, { title: written.mark }, requestHeaders)
        .catch(() => undefined);
      const isCut = answer === undefined;
      written.endedAt = performance.now();
      const hasAbort = 'abort' in effect;
      if (isCut && !hasAbort && list.resets === resets) violations.push('fault: cut without abort');
      const isBefore = hasAbort && ['before', 'reset'].includes(effect.abort);
      written.status = isCut ? (isBefore ? 503 : 201) : answer.status;
      const remove = () => client.delete(`${list.path}${LIST}?title=${written.mark}`);
      await ask(round, 'DELETE of several', remove, [200]);
    }
  }
};

/** Resets a list, now and then. */
export const resets: Act = async (round, list, random) => {
  const path = `${list.path}/admin/reset`;
  while (round.isOn) {
    await sleep(200 + random.below(1_500));
    if (round.isOn) await reset(round, list, path, random.below(30));
  }
};

/** Resets a list to some items. */
export async function reset(round: Round, list: ListView, path: string, items: number) {
  const sentAt = performance.now();
  list.resets++;
  const send = () => round.client.post(path, itemsOfSeed(items), AUTHORIZED);
  const answer = await ask(round, 'reset', send, [204]);
  list.resets++;
  if (answer?.status === 204) list.resetAt = sentAt;
  return answer?.status === 204;
}

export function itemsOfSeed(length: number) {
  return Array.from({ length }, (_, i) => ({ title: `seed ${i}`, priority: 1 + (i % 5) }));
}

/** Makes a list with a name, uses it, and removes it. */
export const makesLists: Act = async (round, _, random) => {
  const { client } = round;
  const name = `eve-${random.below(2 ** 31)}`;
  const [admin, path] = [`/admin/lists/${name}`, `/lists/${name}${LIST}`];
  while (round.isOn) {
    const made = await ask(round, 'PUT of a list', () => client.put(admin, [], AUTHORIZED), [201]);
    if (made?.status !== 201) continue;
    await ask(round, 'POST to it', () => client.post(path, { title: 'own' }), [201]);
    const read = await ask(round, 'GET of it', () => client.get(path), [200]);
    if (read?.status === 200 && read.json<Todo[]>().length > 1) {
      round.violations.push(`${path} has ${read.text}`);
    }
    const stream = client.get(`${path}/events`);
    await sleep(random.below(50));
    const remove = () => client.delete(admin, AUTHORIZED);
    while ((await ask(round, 'DELETE of a list', remove, [204]))?.status === 503);
    // Its stream ends with it.
    await ask(round, 'stream of it', () => stream, [200, 404]);
    await ask(round, 'GET of none', () => client.get(path), [404]);
  }
};
