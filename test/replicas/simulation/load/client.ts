import type { Answer } from '../../../support/requests.ts';
import { NoAnswerError, type SimulatedReplica } from '../service/replica.ts';
import type { Simulation } from '../service/simulation.ts';
import type { Begun, Checker, Title, WriteOutcome } from './checker.ts';

/** An item as clients last read it. */
interface Seen {
  readonly title: Title;
  readonly etag: string;
}

/** The items that all clients of a simulation share. */
export class Items {
  readonly places: (number | undefined)[] = new Array(6).fill(undefined);
  readonly seen = new Map<number, Seen>();
  #sequence = 0;

  clear(): void {
    this.places.fill(undefined);
  }

  /** Frees the place of an item that has been deleted. */
  free(id: number): void {
    const place = this.places.indexOf(id);
    if (place !== -1) this.places[place] = undefined;
  }

  /** A title that nothing else has. */
  title(): Title {
    return `t${this.#sequence++}`;
  }
}

/** The distribution of a client's requests. */
export interface Habits {
  /** The maximum time between two requests, in milliseconds. */
  readonly pauseMs: number;
  readonly resets: boolean;
}

/** The longest that a replica may take to answer, in milliseconds. */
const MAX_MS = 5_500;

/** A client that does anything with a few items through any replica. */
export class SimulatedClient {
  readonly #simulation: Simulation;
  readonly #checker: Checker;
  readonly #items: Items;
  readonly #habits: Habits;

  constructor(simulation: Simulation, checker: Checker, items: Items, habits: Habits) {
    this.#simulation = simulation;
    this.#checker = checker;
    this.#items = items;
    this.#habits = habits;
  }

  /** Sends requests until `isOver` returns true. */
  async run(isOver: () => boolean): Promise<void> {
    const { environment, replicas } = this.#simulation;
    while (!isOver()) {
      const replica = environment.pick(replicas);
      if (replica !== undefined) await this.#act(replica);
      await environment.sleep(environment.upTo(this.#habits.pauseMs));
    }
  }

  async #act(replica: SimulatedReplica): Promise<void> {
    const { environment } = this.#simulation;
    const place = environment.random.below(this.#items.places.length);
    const id = this.#items.places[place];
    const choice = environment.upTo(100);
    if (id === undefined) await this.#create(replica, place);
    else if (choice < 3) await this.#writeAll(replica, this.#items.title());
    else if (choice < 6) await this.#writeAll(replica, '');
    else if (choice < 30) await this.#get(replica, id);
    else if (choice < 40) await this.#get(replica, id, this.#items.seen.get(id));
    else if (choice < 44) await this.#update(replica, id, undefined);
    else if (choice < 70) await this.#update(replica, id, this.#items.title());
    else if (choice < 84) {
      await this.#update(replica, id, this.#items.title(), this.#items.seen.get(id));
    } else if (choice < 88) await this.#delete(replica, id, this.#items.seen.get(id));
    else if (choice < 94) await this.#delete(replica, id);
    else if (choice > 99 && this.#habits.resets) {
      // Two at once are two.
      const resets = environment.chance(0.3) ? 2 : 1;
      await Promise.all(Array.from({ length: resets }, () => this.#reset(replica)));
    } else await this.#list(replica);
  }

  async #create(replica: SimulatedReplica, place: number): Promise<void> {
    const title = this.#items.title();
    const begun = this.#checker.begin();
    const send = () => replica.post('/api/todos', { title });
    const answer = await this.#ask('create', replica, send, begun);
    const isMet = (before: Title) => before === '';
    this.#checker.recordWrite(title, { outcome: outcomeOf(answer, 201), rows: 1, isMet }, begun);
    if (!isServed(answer)) return;
    this.#expect(answer, [201]);
    const { id } = answer.json();
    this.#items.places[place] = id;
    this.#see(id, title, answer);
    this.#checker.seeItem(id, `was created as ${title}`, (now) => now === title, begun);
  }

  async #get(replica: SimulatedReplica, id: number, seen?: Seen): Promise<void> {
    const begun = this.#checker.begin();
    const headers = seen ? { 'if-none-match': seen.etag } : undefined;
    const send = () => replica.get(`/api/todos/${id}`, headers);
    const answer = await this.#ask('get', replica, send, begun);
    if (!isServed(answer)) return;
    const { status } = answer;
    const title = status === 304 ? seen?.title : status === 404 ? '' : answer.json().title;
    this.#expect(answer, [200, 304, 404]);
    this.#checker.seeItem(id, `was read as ${status} ${title}`, (now) => now === title, begun);
    if (status === 200) this.#see(id, String(title), answer);
    else if (status === 404) this.#items.free(id);
  }

  /** @param title undefined changes nothing */
  async #update(
    replica: SimulatedReplica,
    id: number,
    title: Title | undefined,
    seen?: Seen,
  ): Promise<void> {
    const begun = this.#checker.begin();
    const headers = seen ? { 'if-match': seen.etag } : undefined;
    const send = () => replica.put(`/api/todos/${id}`, { title }, headers);
    const answer = await this.#ask('update', replica, send, begun);
    const isMet = (now: Title) => now !== '' && (seen === undefined || now === seen.title);
    if (title !== undefined) {
      this.#checker.recordWrite(title, { outcome: outcomeOf(answer, 200), rows: 1, isMet }, begun);
    }
    if (!isServed(answer)) return;
    this.#expect(answer, [200, 404, 412]);
    const { status } = answer;
    if (status === 404) this.#checker.seeItem(id, 'was missing', (now) => now === '', begun);
    else if (status === 412) {
      const hasChanged = (now: Title) => now !== '' && now !== seen?.title;
      this.#checker.seeItem(id, 'had changed', hasChanged, begun);
    } else {
      const made = answer.json().title;
      const fits = (now: Title) => now === made && (title !== undefined || isMet(now));
      this.#checker.seeItem(id, `was updated to ${made}`, fits, begun);
      this.#see(id, made, answer);
    }
  }

  async #delete(replica: SimulatedReplica, id: number, seen?: Seen): Promise<void> {
    const begun = this.#checker.begin();
    const headers = seen ? { 'if-match': seen.etag } : undefined;
    const send = () => replica.delete(`/api/todos/${id}`, headers);
    const answer = await this.#ask('delete', replica, send, begun);
    if (!isServed(answer)) return;
    this.#expect(answer, [204, 412]);
    if (answer.status === 412) {
      this.#checker.seeItem(id, 'had changed', (now) => now !== seen?.title, begun);
      return;
    }
    this.#checker.seeDelete(id, seen?.title, begun);
    // Other clients continue to request it for a while.
    await this.#simulation.environment.sleep(20);
    this.#items.free(id);
  }

  /** Changes or deletes all items with a digit in the title. @param title empty to delete them */
  async #writeAll(replica: SimulatedReplica, title: Title): Promise<void> {
    const digit = String(this.#simulation.environment.random.below(10));
    const isMet = (now: Title) => now.includes(digit);
    const target = `/api/todos?title.contains=${digit}`;
    const begun = this.#checker.begin();
    const send = () => (title === '' ? replica.delete(target) : replica.patch(target, { title }));
    const what = title === '' ? 'delete all' : 'update all';
    // It may take longer than others, because it waits for a search, and then for a commit.
    const answer = await this.#ask(what, replica, send);
    const counts = answer?.json<{ deleted?: number; updated?: number }>();
    const rows = counts?.deleted ?? counts?.updated ?? 0;
    const outcome = outcomeOf(answer, 200);
    if (title !== '') this.#checker.recordWrite(title, { outcome, rows, isMet }, begun);
    if (!isServed(answer)) return;
    this.#expect(answer, [200]);
    this.#checker.seeWriteToAll(isMet, title, rows, begun);
  }

  async #list(replica: SimulatedReplica): Promise<void> {
    const begun = this.#checker.begin();
    const answer = await this.#ask('list', replica, () => replica.get('/api/todos'), begun);
    if (!isServed(answer)) return;
    this.#expect(answer, [200]);
    this.#checker.seeList(answer, begun);
  }

  async #reset(replica: SimulatedReplica): Promise<void> {
    const begun = this.#checker.begin();
    const answer = await this.#ask('reset', replica, () => replica.reset());
    this.#checker.recordReset(outcomeOf(answer, 204), begun);
    if (answer?.status === 204) this.#items.clear();
  }

  /** The response; undefined if it is not known whether the request arrived. */
  async #ask(
    what: string,
    replica: SimulatedReplica,
    send: () => Promise<Answer>,
    begun?: Begun,
  ): Promise<Answer | undefined> {
    const { environment } = this.#simulation;
    try {
      const answer = await send();
      const took = begun === undefined ? 0 : environment.now - begun.at;
      if (begun && took > MAX_MS && replica.disturbedAt < begun.at)
        this.#checker.late(what, took, begun);
      this.#checker.count(`${what} ${answer.status}`);
      return answer;
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      this.#checker.count(`${what} without an answer`);
      return undefined;
    }
  }

  #see(id: number, title: Title, answer: Answer): void {
    this.#checker.seeTag(`item ${id}`, answer);
    this.#items.seen.set(id, { title, etag: String(answer.headers.etag) });
  }

  #expect({ status, text }: Answer, statuses: readonly number[]): void {
    if (!statuses.includes(status)) this.#checker.violation(`${status} ${text}`);
  }
}

/** Whether the store has served a request. */
function isServed(answer: Answer | undefined): answer is Answer {
  return answer !== undefined && answer.status !== 503;
}

/** @param done the status of a write that has happened */
function outcomeOf(answer: Answer | undefined, done: number): WriteOutcome {
  if (answer === undefined || answer.text.includes('"outcome-unknown"')) return 'unknown';
  return answer.status === done ? 'done' : 'not done';
}
