import type { Service } from '../feature.ts';
import { faultsOf } from './fault-content.ts';
import { Faults } from './faults.ts';
import { Journal, type JournalEntry } from './journal.ts';

/** What test suites do with the service that they test (contract: "For test suites"). */
export class TestControl {
  readonly faults = new Faults();
  readonly journal = new Journal();
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
    service.onReset(() => {
      this.faults.set([]);
      this.journal.clear();
    });
  }

  get resetProblems(): Service['resetProblems'] {
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
