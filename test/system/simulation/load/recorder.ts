import type { Answer } from '../../../support/client.ts';
import { findViolation, type Operation } from '../../../support/linearizable.ts';
import type { Simulation } from '../service/simulation.ts';
import type { Truth } from './truth.ts';

/** The title of an item; empty if there is none. */
export type Title = string;

/** A request in progress: what must be visible to it, at least. */
export interface Begun {
  /** By the events of the world. */
  readonly start: number;
  readonly at: number;
  /** Whatever was acknowledged or seen before it began. */
  readonly floor: number;
  /** How often etcd had been restored from a backup. */
  readonly epoch: number;
}

/** After how many steps the search for an order of the operations on an item gives up. */
const MAX_STEPS = 3_000;

/** An operation on an item; with the title that it may have given, if that is unknown. */
interface Noted extends Operation<Title> {
  readonly title: Title | undefined;
}

/** What clients were told of a write. */
export type Told = 'done' | 'not done' | 'unknown';

/**
 * Checks what clients are told against what really happened, and against each other: it is
 * linearizable, and each write happens as often as its client was told.
 */
export class Recorder {
  readonly violations: string[] = [];
  /** How many responses there were by kind. */
  readonly counts = new Map<string, number>();
  readonly #simulation: Simulation;
  readonly #truth: Truth;
  readonly #told = new Map<string, Told>();
  readonly #histories = new Map<number, Noted[]>();
  /** The last revision that was acknowledged or seen by a client. */
  #floor = 0;
  #epoch = 0;
  /** How many resets clients were told of, by what they were told. */
  readonly #resets = { done: 0, 'not done': 0, unknown: 0 };
  #hasHistories = true;

  constructor(simulation: Simulation, truth: Truth) {
    this.#simulation = simulation;
    this.#truth = truth;
  }

  get operations(): number {
    let sum = 0;
    for (const count of this.counts.values()) sum += count;
    return sum;
  }

  begin(): Begun {
    const { events, now } = this.#simulation.world;
    return { start: events, at: now, floor: this.#floor, epoch: this.#epoch };
  }

  /** Forgets what was acknowledged after a revision: etcd was restored from a backup. */
  restore(revision: number): void {
    this.#epoch++;
    this.#floor = Math.min(this.#floor, this.#truth.commitAt(revision)?.revision ?? 0);
    this.#hasHistories = false;
    this.#histories.clear();
    for (const [title, told] of this.#told) if (told !== 'not done') this.#told.delete(title);
    this.#resets.done = 0;
    this.#resets.unknown = this.#truth.commits.filter(({ isReset }) => isReset).length;
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  violation(what: string): void {
    if (this.violations.length < 20) this.violations.push(what);
  }

  /** A client had to wait for too long. */
  late(what: string, ms: number, begun: Begun): void {
    if (begun.epoch === this.#epoch) this.violation(`${what} took ${Math.round(ms)} ms`);
  }

  /** A client was told what became of a write that gives a row this title. */
  tell(title: Title, told: Told, begun: Begun): void {
    if (begun.epoch !== this.#epoch) return;
    this.#told.set(title, told);
    if (told !== 'done') return;
    const revision = this.#truth.written(title)[0];
    if (revision === undefined) this.violation(`${title} was acknowledged, and is not there`);
    else if (revision <= begun.floor) this.violation(`${title} happened before it was asked for`);
    else this.#floor = Math.max(this.#floor, revision);
  }

  /** A client saw a state in which an item had a title that fits. */
  see(id: number, what: string, fits: (title: Title) => boolean, begun: Begun): void {
    if (begun.epoch !== this.#epoch) return;
    const { last } = this.#truth;
    const revision = this.#truth.firstWith(id, fits, begun.floor, last);
    if (revision !== undefined) this.#floor = Math.max(this.#floor, revision);
    else this.violation(`item ${id} ${what}, but not from ${begun.floor} to ${last}`);
  }

  /** A client saw the whole list of a revision. */
  seeList({ headers, text }: Answer, begun: Begun): void {
    if (begun.epoch !== this.#epoch) return;
    const tag = String(headers.etag);
    const revision = Number(/\.(\d+)"$/.exec(tag)?.[1]);
    const commit = this.#truth.commitAt(revision);
    if (commit?.revision !== revision) {
      this.violation(`there was no commit with the tag ${tag}`);
    }
    if (revision < begun.floor) {
      this.violation(`a list of ${revision} after ${begun.floor} was acknowledged`);
    }
    const list: readonly { id: number; title: string }[] = JSON.parse(text);
    const seen = list.map(({ id, title }) => `${id} ${title}`).join();
    const was = this.#truth.titlesAt(revision);
    if (seen !== was) this.violation(`the list of ${revision} was ${was}, not ${seen}`);
    this.#floor = Math.max(this.#floor, revision);
  }

  /**
   * Notes an operation on an item for the linearizability checker.
   * @param unknown given if it is not known whether it has happened, with the title that it gives
   */
  note(
    id: number,
    begun: Begun,
    what: string,
    step: (title: Title) => Title | undefined,
    unknown?: { readonly title: Title | undefined },
  ): void {
    if (begun.epoch !== this.#epoch || !this.#hasHistories) return;
    const history = this.#histories.get(id) ?? [];
    const end = unknown ? Number.POSITIVE_INFINITY : this.#simulation.world.events;
    history.push({ start: begun.start, end, what, step, title: unknown?.title });
    this.#histories.set(id, history);
  }

  /**
   * A client was told what became of a reset. Ids begin again, so there are no more histories.
   * One asked for before etcd was restored may have happened before (and be lost), or after.
   */
  tellReset(told: Told, begun: Begun): void {
    this.#hasHistories = false;
    this.#histories.clear();
    this.#resets[begun.epoch === this.#epoch ? told : 'unknown']++;
  }

  /** Checks everything that can be known only at the end. */
  finish(): void {
    const resets = this.#truth.commits.filter(({ isReset }) => isReset).length;
    const { done, unknown } = this.#resets;
    if (resets < done || resets > done + unknown) {
      this.violation(`${resets} resets, of which ${done} were acknowledged, ${unknown} unknown`);
    }
    for (const violation of this.#truth.violations) this.violation(violation);
    for (const [title, told] of this.#told) {
      const times = this.#truth.written(title).length;
      if (told === 'done' ? times !== 1 : told === 'not done' ? times > 0 : times > 1) {
        this.violation(`${title} was ${told}, and happened ${times} times`);
      }
    }
    for (const [id, history] of this.#histories) {
      const happened = history.filter(
        ({ title }) => title === undefined || this.#truth.written(title).length > 0,
      );
      const stuck = findViolation('', happened, String, MAX_STEPS)?.slice(0, 8);
      const what = stuck?.map((each) => `${each.start}-${each.end} ${each.what}`);
      if (what) this.violation(`item ${id} is not linearizable: ${what.join('; ')}`);
    }
  }
}
