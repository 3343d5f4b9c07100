import type { Violation } from '../../lib/http/index.ts';

/** An invalid seed; the message says in one line where it is wrong, and how. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
  /** Everything that is wrong, each with its pointer. */
  readonly violations: readonly Violation[];

  constructor(message: string, violations: readonly Violation[] = []) {
    super(message);
    this.violations = violations;
  }
}
