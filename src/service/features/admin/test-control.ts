import type { Service } from '../feature.ts';
import type { Faults } from './faults.ts';
import type { Journal } from './journal.ts';
import type { Addresses } from './matching.ts';

/** What test suites do with the service that they test (testing.md: "For test suites"). */
export interface TestControl
  extends Addresses,
    Pick<Service, 'reset' | 'seedSchema' | 'resetProblems' | 'cutStreams'> {
  readonly faults: Faults;
  readonly journal: Journal;
}

/** A service that may be a part of a program, which controls it without a token. */
export interface ControlledService extends Service {
  /** Receives what the program can do with the service; undefined if there is no such program. */
  readonly onControl: ((control: TestControl) => void) | undefined;
}
