import {
  type HeaderFields,
  Problem,
  type Violation,
  type ViolationCode,
} from '../../lib/http/index.ts';
import { jsonPointer, type NumberSources } from '../../lib/json/index.ts';
import { quoted } from '../../lib/printable.ts';

/** The maximum number of violations to tell: enough for all operands of a condition. */
export const MAX_VIOLATIONS = 1000;

/** The names and indexes on the way to a value. */
export type Path = readonly (string | number)[];

/** Told that what has a name breaks a rule. It throws, or notes that and lets the rest be read. */
export type OnInvalid = (name: string, code: ViolationCode, rule: string) => void;

/** What is wrong with JSON content, or with a part of it. */
export class Validation {
  readonly violations: Violation[];
  readonly #sources: NumberSources;
  readonly #path: Path;

  /** @param sources finds the texts of numbers in the part @param violations of the whole */
  constructor(
    sources: NumberSources = () => undefined,
    path: Path = [],
    violations: Violation[] = [],
  ) {
    this.#sources = sources;
    this.#path = path;
    this.violations = violations;
  }

  /** The validation of a part. */
  at(...path: Path): Validation {
    const sources: NumberSources = (...names) => this.#sources(...path, ...names);
    return new Validation(sources, [...this.#path, ...path], this.violations);
  }

  /** The text of a number, by its name, if `JSON.parse` may have rounded it. */
  sourceOf(name: string): string | undefined {
    return this.#sources(name);
  }

  /** Whether further violations are left out. */
  get isFull(): boolean {
    return this.violations.length >= MAX_VIOLATIONS;
  }

  /** Notes that what is at a path breaks a rule. Returns undefined, which stands for its value. */
  violate(path: string | Path, code: ViolationCode, detail: string): undefined {
    if (this.isFull) return;
    this.violations.push({ pointer: jsonPointer(...this.#path, ...[path].flat()), code, detail });
  }

  /** @throws Problem with all violations, if there are some */
  finish(): void {
    if (this.violations.length > 0) throw this.problem();
  }

  /** The problem of content that breaks rules. */
  problem(): Problem {
    const { violations } = this;
    const count = violations.length === 1 ? 'one rule' : `${violations.length} rules`;
    return new Problem('validation-failed', `The content violates ${count}`, {
      errors: violations,
    });
  }
}

/** Refuses a query string at its first invalid parameter. @throws Problem `invalid-parameter` */
export function throwInvalid(
  name: string,
  code: ViolationCode,
  rule: string,
  headers: HeaderFields = {},
): never {
  throw new Problem('invalid-parameter', sentenceOf(name, code, rule), { headers });
}

/** A sentence about a name that breaks a rule. */
export function sentenceOf(name: string, code: ViolationCode, rule: string): string {
  return `${code === 'unknown' ? quoted(name) : name} ${rule}`;
}

/** What is allowed instead of a text. */
export function mustBe(allowed: string, text: string): string {
  return `must be ${allowed}, not ${quoted(text)}`;
}
