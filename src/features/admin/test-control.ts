import type { ProblemCode, ProblemType } from '../../http/core/problem.ts';
import { faultsOf } from './fault-content.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';

/** A service that can go back to its beginning. */
export interface ResettableService {
  /**
   * Goes back to the seed, or to the items of another one; ids start again.
   * @param seed as JSON
   * @throws Problem `validation-failed`, or one of `resetProblems`
   */
  reset(seed?: unknown): Promise<void>;
  readonly resetProblems: readonly (ProblemCode | ProblemType)[];
  /** Calls back whenever the items have been reset, by whomever. */
  onReset(callback: () => void): void;
  /** Ends all event streams. */
  cutStreams(): void;
}

/** What test suites do with the service that they test (testing.md: "For test suites"). */
export class TestControl {
  readonly faults = new Faults();
  readonly journal = new Journal();
  readonly #service: ResettableService;

  constructor(service: ResettableService) {
    this.#service = service;
    service.onReset(() => {
      this.faults.set([]);
      this.journal.clear();
    });
  }

  get resetProblems(): ResettableService['resetProblems'] {
    return this.#service.resetProblems;
  }

  /**
   * Puts everything back to the beginning.
   * @param seed items to reset to, as JSON; by default, the seed that the service has
   * @throws Problem `validation-failed`, or one of `resetProblems`
   */
  reset(seed?: unknown): Promise<void> {
    return this.#service.reset(seed);
  }

  /** Ends all event streams. */
  cutStreams(): void {
    this.#service.cutStreams();
  }

  /** @throws Problem `validation-failed` */
  setFaults(faults: unknown): void {
    this.faults.set(faultsOf(faults));
  }

  /** The last requests, oldest first. */
  requests(): readonly JournalEntry[] {
    return this.journal.list();
  }
}
