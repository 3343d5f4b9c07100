import type { Answer } from '../../../support/requests.ts';
import type { Simulation } from '../service/simulation.ts';
import type { Commit, StoredHistory } from './stored-history.ts';

/** The title of an item; empty if there is none. */
export type Title = string;

/** A request in progress. */
export interface Begun {
  readonly at: number;
  /** The last revision that was acknowledged or seen before it began. It must see at least that. */
  readonly floor: number;
  /** The number of restores of etcd before it began. */
  readonly epoch: number;
}

/** The outcome of a write, by its response. */
export type WriteOutcome = 'done' | 'not done' | 'unknown';

/** A write that gives rows a title. */
interface Writing {
  readonly outcome: WriteOutcome;
  /** The number of rows that it wrote, if it is done. */
  readonly rows: number;
  /** Whether its conditions hold for the title before. */
  readonly isMet: (before: Title) => boolean;
}

/**
 * Checks responses against the history that etcd has stored. Responses must be linearizable, and
 * each write must happen as often as its response states, and only if its conditions hold.
 */
export class Checker {
  readonly violations: string[] = [];
  /** The number of responses by kind. */
  readonly counts = new Map<string, number>();
  readonly #simulation: Simulation;
  readonly #history: StoredHistory;
  readonly #writings = new Map<Title, Writing>();
  /** The last revision that was acknowledged or seen by a client. */
  #floor = 0;
  #epoch = 0;
  /** The representation of each tag, by its path and the tag. */
  readonly #representations = new Map<string, string>();
  /** The number of resets by their outcomes. */
  readonly #resets = { done: 0, 'not done': 0, unknown: 0 };

  constructor(simulation: Simulation, history: StoredHistory) {
    this.#simulation = simulation;
    this.#history = history;
  }

  begin(): Begun {
    return { at: this.#simulation.environment.now, floor: this.#floor, epoch: this.#epoch };
  }

  /** Drops the writes acknowledged after a revision, to which etcd was restored. */
  restore(revision: number): void {
    this.#epoch++;
    this.#floor = Math.min(this.#floor, this.#history.commitAt(revision)?.revision ?? 0);
    for (const [title, { outcome }] of this.#writings) {
      if (outcome !== 'not done') this.#writings.delete(title);
    }
    this.#resets.done = 0;
    this.#resets.unknown = this.#history.commits.filter(({ isReset }) => isReset).length;
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  violation(what: string): void {
    if (this.violations.length < 20) this.violations.push(what.slice(0, 500));
  }

  /** A client had to wait for too long. */
  late(what: string, ms: number, begun: Begun): void {
    if (begun.epoch === this.#epoch) this.violation(`${what} took ${Math.round(ms)} ms`);
  }

  /** Takes the outcome of a write. */
  recordWrite(title: Title, writing: Writing, begun: Begun): void {
    if (begun.epoch !== this.#epoch) return;
    this.#writings.set(title, writing);
    if (writing.outcome !== 'done' || writing.rows === 0) return;
    const revision = this.#history.written(title)[0]?.revision;
    if (revision === undefined) this.violation(`${title} was acknowledged, and is not there`);
    else if (revision <= begun.floor) this.violation(`${title} happened before it was asked for`);
    else this.#floor = Math.max(this.#floor, revision);
  }

  /** Takes a response. It is right if a commit fits that was the last one at some moment since. */
  see(what: string, fits: (commit: Commit) => boolean, begun: Begun): void {
    if (begun.epoch !== this.#epoch) return;
    const { commits, last } = this.#history;
    const found = commits.find((commit) => commit.revision >= begun.floor && fits(commit));
    if (found !== undefined) this.#floor = Math.max(this.#floor, found.revision);
    else this.violation(`${what}, but not from ${begun.floor} to ${last}`);
  }

  /** Takes a response that shows a state in which the title of an item fits. */
  seeItem(id: number, what: string, fits: (title: Title) => boolean, begun: Begun): void {
    this.see(`item ${id} ${what}`, ({ titles }) => fits(titles.get(id) ?? ''), begun);
  }

  /** Takes a delete that has happened. @param expected the title that its condition demands */
  seeDelete(id: number, expected: Title | undefined, begun: Begun): void {
    const isDelete = ({ revision, before, titles }: Commit) =>
      revision > begun.floor && before.get(id) === expected && !titles.has(id);
    if (expected === undefined) this.seeItem(id, 'was deleted', (now) => now === '', begun);
    else this.see(`item ${id} was deleted as ${expected}`, isDelete, begun);
  }

  /**
   * Takes a write to all items that match. Its commit, which may have other writes, too, left none
   * of the items that matched before as it was.
   * @param title the new title; empty if it deletes them @param count the number of items
   */
  seeWriteToAll(
    matches: (title: Title) => boolean,
    title: Title,
    count: number,
    begun: Begun,
  ): void {
    const hasWritten = ({ revision, isReset, before, titles }: Commit) => {
      const matching = [...before].filter(([, was]) => matches(was));
      const isComplete = matching.every(([id, was]) => titles.get(id) !== was);
      const written = matching.filter(([id]) => (titles.get(id) ?? '') === title);
      return revision > begun.floor && !isReset && isComplete && written.length >= count;
    };
    const hasNone = ({ titles }: Commit) => ![...titles.values()].some(matches);
    const fits = (commit: Commit) => hasWritten(commit) || (count === 0 && hasNone(commit));
    this.see(`all ${count} items that matched became "${title}"`, fits, begun);
  }

  /** A tag names one representation, on all replicas and for ever. */
  seeTag(path: string, { headers, text }: Answer): void {
    const name = `${path} ${headers.etag}`;
    if ([...this.#history.createdAgain].some((id) => name.includes(id))) return;
    const known = this.#representations.get(name) ?? text;
    if (known !== text) this.violation(`${name} was ${known}, and is ${text}`);
    this.#representations.set(name, known);
  }

  /** A client saw the whole list of a revision. */
  seeList(answer: Answer, begun: Begun): void {
    const { headers, text } = answer;
    this.seeTag('list', answer);
    if (begun.epoch !== this.#epoch) return;
    const tag = String(headers.etag);
    const revision = Number(/\.(\d+)"$/.exec(tag)?.[1]);
    const commit = this.#history.commitAt(revision);
    if (commit?.revision !== revision) {
      this.violation(`there was no commit with the tag ${tag}`);
    }
    if (revision < begun.floor) {
      this.violation(`a list of ${revision} after ${begun.floor} was acknowledged`);
    }
    const list: readonly { id: number; title: string }[] = JSON.parse(text);
    const seen = list.map(({ id, title }) => `${id} ${title}`).join();
    const was = this.#history.titlesAt(revision);
    if (seen !== was) this.violation(`the list of ${revision} was ${was}, not ${seen}`);
    this.#floor = Math.max(this.#floor, revision);
  }

  /**
   * Takes the outcome of a reset. One asked for before etcd was restored may have happened before
   * (and be lost), or after.
   */
  recordReset(outcome: WriteOutcome, begun: Begun): void {
    this.#resets[begun.epoch === this.#epoch ? outcome : 'unknown']++;
  }

  /** Checks everything that can be known only at the end. */
  finish(): void {
    const resets = this.#history.commits.filter(({ isReset }) => isReset).length;
    const { done, unknown } = this.#resets;
    if (resets < done || resets > done + unknown) {
      this.violation(`${resets} resets, of which ${done} were acknowledged, ${unknown} unknown`);
    }
    for (const violation of this.#history.violations) this.violation(violation);
    for (const [title, { outcome, rows, isMet }] of this.#writings) {
      const writes = this.#history.written(title);
      const times = writes.length;
      const commits = new Set(writes.map(({ revision }) => revision)).size;
      if (outcome === 'done' ? times !== rows : outcome === 'not done' ? times > 0 : commits > 1) {
        this.violation(`${title} was ${outcome}, and happened ${times} times`);
      }
      for (const { before } of writes) {
        if (!isMet(before)) this.violation(`${title} was written although the title was ${before}`);
      }
    }
  }
}
