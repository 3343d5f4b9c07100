import type { SeenEvent } from '../../../support/events.ts';
import { Answer } from '../../../support/requests.ts';
import { NoAnswerError, type SimulatedReplica } from '../service/replica.ts';
import type { Simulation } from '../service/simulation.ts';
import type { SimulatedStream } from '../service/stream.ts';
import type { Checker } from './checker.ts';
import type { StoredHistory } from './stored-history.ts';

/** The longest that a client stays with one stream, in milliseconds. */
const STAY_MS = 3_000;

/** The longest pause before it connects again, in milliseconds. */
const RETRY_MS = 200;

/**
 * A client that follows the events, now at one replica, now at another, and keeps a copy of the
 * list by them.
 */
export class StreamClient {
  readonly #simulation: Simulation;
  readonly #history: StoredHistory;
  readonly #checker: Checker;
  /** The titles by id; undefined until the list has been fetched. */
  #items: Map<number, string> | undefined;
  #lastId: string | undefined;
  /** The revision of the last event. */
  #last = 0;
  /** The revision of the list that it fetched. */
  #fetched = 0;

  constructor(simulation: Simulation, history: StoredHistory, checker: Checker) {
    this.#simulation = simulation;
    this.#history = history;
    this.#checker = checker;
  }

  async run(isOver: () => boolean): Promise<void> {
    const { environment, replicas } = this.#simulation;
    while (!isOver()) {
      const replica = environment.pick(replicas);
      if (replica !== undefined) {
        // It may disconnect after any event.
        const leaves = () => isOver() || environment.chance(0.01);
        await this.#follow(replica, environment.upTo(STAY_MS), leaves);
      }
      await environment.sleep(environment.upTo(RETRY_MS));
    }
  }

  /** Follows until it has seen everything, and checks that it has the list. */
  async finish(replica: SimulatedReplica): Promise<void> {
    const { environment } = this.#simulation;
    for (let tries = 0; tries < 3; tries++) await this.#follow(replica, 500, () => false);
    await environment.sleep(1);
    const was = this.#history.titlesAt(this.#history.last);
    const has = [...(this.#items ?? [])].sort(([a], [b]) => a - b);
    const seen = has.map(([id, title]) => `${id} ${title}`).join();
    if (seen !== was) this.#checker.violation(`a stream made ${seen} of ${was}`);
  }

  async #follow(replica: SimulatedReplica, ms: number, isOver: () => boolean): Promise<void> {
    const { environment } = this.#simulation;
    let stream: SimulatedStream | Answer;
    try {
      stream = await replica.stream(this.#lastId);
    } catch (error) {
      if (error instanceof NoAnswerError) return;
      throw error;
    }
    if (stream instanceof Answer) {
      this.#checker.count(`stream ${stream.status}`);
      return;
    }
    this.#checker.count('stream 200');
    const opened = stream;
    environment.afterIn(undefined, ms, () => replica.close(opened));
    // A commit of which the client has only a part comes again, or has been lost by a restore.
    const part: SeenEvent[] = [];
    for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
      if (event.event === 'ready') {
        if (this.#items === undefined && !(await this.#fetch(replica))) break;
      } else if (event.event === 'reset') {
        this.#checker.count('stream reset');
        part.length = 0;
        this.#last = 0;
        this.#items = undefined;
        this.#lastId = undefined;
        if (!(await this.#fetch(replica))) break;
      } else part.push(event);
      if (event.id !== undefined) {
        for (const { event, data } of part.splice(0)) this.#take(event, JSON.parse(data));
        this.#complete(event.id, event.event);
      }
      if (isOver()) break;
    }
    replica.close(stream);
    // A restore of etcd may undo commits that it has fetched, and whose events it has not received.
    if (this.#last < this.#fetched) this.#items = undefined;
  }

  async #fetch(replica: SimulatedReplica): Promise<boolean> {
    const answer = await replica.get('/api/todos').catch(() => undefined);
    if (answer?.status !== 200) return false;
    const list = answer.json<{ id: number; title: string }[]>();
    this.#items = new Map(list.map(({ id, title }) => [id, title]));
    this.#fetched = Number(/\.(\d+)"$/.exec(String(answer.headers.etag))?.[1]);
    return true;
  }

  #take(event: string, { id, title }: { id: number; title: string }): void {
    if (event === 'put') this.#items?.set(id, title);
    else this.#items?.delete(id);
    this.#checker.count('event');
  }

  /** Called when all events of a commit have come. No earlier event may be missing. */
  #complete(id: string, event: string): void {
    this.#lastId = id;
    const revision = Number(id.split('.').at(-1));
    if (event !== 'ready' && event !== 'reset' && this.#last > 0) {
      const before = this.#history.commitAt(revision - 1)?.revision ?? 0;
      if (before > this.#last) {
        this.#checker.violation(`a stream got ${revision} after ${this.#last}, without ${before}`);
      }
      if (revision <= this.#last) this.#checker.violation(`a stream got ${revision} twice`);
    }
    this.#last = revision;
  }
}
