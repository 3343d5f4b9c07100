import { Problem, type Violation } from '../../lib/http/index.ts';
import { jsonPointer } from '../../lib/json/index.ts';

/** Every rule that a request's content can violate: the `code` of an entry of `errors`. */
export const VIOLATION_CODES = [
  ...(['required', 'not-null', 'type', 'well-formed', 'not-blank'] as const),
  ...(['min-length', 'max-length', 'minimum', 'maximum', 'min-items', 'max-items'] as const),
  ...(['value', 'unknown'] as const),
] as const;

/** A stable, machine-readable name of a rule. */
export type ViolationCode = (typeof VIOLATION_CODES)[number];

/** The maximum number of violations to report. */
const MAX_VIOLATIONS = 1000;

/** The names and indexes on the way to a value. */
export type Path = readonly (string | number)[];

/** Records the violations of content, or of a part of it. */
export class Validation {
  readonly violations: Violation[];
  readonly #path: Path;

  /** @param violations of the whole content @param path of the part */
  constructor(violations: Violation[] = [], path: Path = []) {
    this.violations = violations;
    this.#path = path;
  }

  /** Whether no more violations are recorded. */
  get isFull(): boolean {
    return this.violations.length >= MAX_VIOLATIONS;
  }

  /** The number of violations, for a sentence. */
  get count(): string {
    return `${this.isFull ? 'at least ' : ''}${this.violations.length}`;
  }

  /** The validation of a part. */
  at(...path: Path): Validation {
    return new Validation(this.violations, [...this.#path, ...path]);
  }

  /** Records a violation at `path`. Returns undefined, to be used as the value. */
  violate(path: string | Path, code: ViolationCode, detail: string): undefined {
    if (this.isFull) return;
    const pointer = jsonPointer(...this.#path, ...[path].flat());
    this.violations.push({ pointer, code, detail });
  }

  /** @throws Problem `validation-failed` with all violations, if there are some */
  finish(): void {
    const { violations: errors } = this;
    if (errors.length === 0) return;
    const count = errors.length === 1 ? 'one rule' : `${this.count} rules`;
    throw new Problem('validation-failed', `The content violates ${count}`, { errors });
  }
}
