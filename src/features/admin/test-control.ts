import type { ProblemCode, ProblemType } from '../../http/core/problem.ts';
import type { NamedSchema } from '../../json/schema.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';

/** A service that can go back to its beginning. */
export interface ResettableService {
  /**
   * Goes back to the seed, or to the items of another one; ids start again.
   * @param seed as JSON
   * @throws Problem `validation-failed`, or one of `resetProblems`
   */
  readonly reset: (seed?: unknown) => Promise<void>;
  readonly seedSchema: NamedSchema;
  readonly resetProblems: readonly (ProblemCode | ProblemType)[];
  /** Calls back whenever the items have been reset, by whomever. */
  readonly onReset: (callback: () => void) => void;
  /** Ends all event streams. */
  readonly cutStreams: () => void;
}

/** What test suites do with the service that they test (testing.md: "For test suites"). */
export interface TestControl extends ResettableService {
  readonly faults: Faults;
  readonly journal: Journal;
}

/** Makes the control of a service. A reset clears its faults and its journal. */
export function testControl(service: ResettableService): TestControl {
  const faults = new Faults();
  const journal = new Journal();
  service.onReset(() => {
    faults.set([]);
    journal.clear();
  });
  return { ...service, faults, journal };
}
