import { Problem, type Violation, type ViolationCode } from '../../lib/http/index.ts';
import { jsonPointer, type NumberSources } from '../../lib/json/index.ts';
import { quoted } from '../../lib/printable.ts';

/** The maximum number of violations to report. */
export const MAX_VIOLATIONS = 1000;

/** The names and indexes on the way to a value. */
export type Path = readonly (string | number)[];

/** Records the violations of JSON content or of a query string, or of a part of it. */
export class Validation {
  readonly violations: Violation[];
  readonly #sources: NumberSources;
  readonly #path: Path;
  #firstSentence: string | undefined;

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

  /** Records a violation at `path`. Returns undefined, to be used as the value. */
  violate(path: string | Path, code: ViolationCode, detail: string): undefined {
    if (this.isFull) return;
    const whole = [path].flat();
    this.#firstSentence ??= sentenceOf(whole, code, detail);
    this.violations.push({ pointer: jsonPointer(...this.#path, ...whole), code, detail });
  }

  /** A sentence on the first violation of this part, for an error without a list of them. */
  get firstSentence(): string | undefined {
    return this.#firstSentence;
  }

  /** @throws Problem `validation-failed` with all violations, if there are some */
  finish(): void {
    const { violations: errors } = this;
    if (errors.length === 0) return;
    const count = errors.length === 1 ? 'one rule' : `${errors.length} rules`;
    throw new Problem('validation-failed', `The content violates ${count}`, { errors });
  }

  /** @throws Problem `invalid-parameter` with the first violation of a query string, if any */
  finishQuery(): void {
    const { firstSentence } = this;
    if (firstSentence !== undefined) throw new Problem('invalid-parameter', firstSentence);
  }
}

function sentenceOf([name = '', ...place]: Path, code: ViolationCode, detail: string): string {
  if (place.length > 0) return `${name} at ${jsonPointer(...place)} ${detail}`;
  return `${code === 'unknown' ? quoted(String(name)) : name} ${detail}`;
}

/** The rule for a text that is not one of those allowed. */
export function mustBe(allowed: string, text: string): string {
  return `must be ${allowed}, not ${quoted(text)}`;
}
