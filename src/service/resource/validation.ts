import { Problem, type Violation } from '../../lib/http/index.ts';
import { jsonPointer } from '../../lib/json/index.ts';
import { printable, shortened } from '../../lib/printable.ts';
import type { Integer } from '../../lib/table/index.ts';
import type { FieldValues } from './field.ts';

/** Every rule that a request's content can violate: the `code` of an entry of `errors`. */
export const VIOLATION_CODES = [
  'required',
  'not-null',
  'type',
  'well-formed',
  'not-blank',
  'min-length',
  'max-length',
  'pattern',
  'minimum',
  'maximum',
  'min-items',
  'max-items',
  'value',
  'read-only',
  'unknown',
] as const;

/** A stable, machine-readable name of a rule. */
export type ViolationCode = (typeof VIOLATION_CODES)[number];

/** The maximum number of violations to report. */
export const MAX_VIOLATIONS = 1000;

/** The characters of pointers and details above which no more violations are reported. */
const MAX_CHARACTERS = 256 * 1024;

/** The maximum characters of a detail, such as one that lists the values of an `enum`. */
const MAX_DETAIL = 4096;

/** The maximum number of violations in the message of an error. */
const MAX_IN_MESSAGE = 10;

/** The names of members and the indexes of elements that lead to a value. */
export type Path = readonly (string | number)[];

/** The item that a content changes: its id, and its row if there is one. */
export interface ChangedItem {
  readonly id: Integer;
  readonly row: FieldValues | undefined;
}

/** Receives the violations of a value while shapes read it. */
export class Validation {
  readonly violations: Violation[] = [];
  readonly #path: (string | number)[] = [];
  #characters = 0;
  readonly #refuse: ((path: Path, detail: string) => never) | undefined;
  /** The item that a content changes; undefined for any other value. */
  readonly target: ChangedItem | undefined;

  /** @param refuse throws an error for the first violation. Without it, violations are collected */
  constructor(refuse?: (path: Path, detail: string) => never, target?: ChangedItem) {
    this.#refuse = refuse;
    this.target = target;
  }

  /** Whether the maximum is reached. Further violations are left out. */
  get isFull(): boolean {
    return this.violations.length >= MAX_VIOLATIONS || this.#characters >= MAX_CHARACTERS;
  }

  /** Moves from the current place to a member or element of it. */
  enter(name: string | number): void {
    this.#path.push(name);
  }

  /** Moves back to the place before `enter`. */
  leave(): void {
    this.#path.pop();
  }

  /** Reports a violation at the current place. Returns undefined, to be used as the value. */
  violate(code: ViolationCode, detail: string): undefined {
    this.#refuse?.(this.#path, detail);
    if (this.isFull) return;
    const pointer = jsonPointer(...this.#path);
    const shown = shortened(detail, MAX_DETAIL);
    this.#characters += pointer.length + shown.length;
    this.violations.push({ pointer, code, detail: shown });
  }

  /** Reports a violation at the current place, unless one of the same rule was reported there. */
  violateOnce(code: ViolationCode, detail: string): void {
    const pointer = jsonPointer(...this.#path);
    const isSame = (each: Violation) => each.pointer === pointer && each.code === code;
    if (!this.violations.some(isSame)) this.violate(code, detail);
  }

  /** Reports a violation at a member or element of the current place. */
  violateAt(name: string | number, code: ViolationCode, detail: string): void {
    this.enter(name);
    this.violate(code, detail);
    this.leave();
  }

  /**
   * Returns the value that has been read. @throws Problem `validation-failed` if it is invalid
   * @param subject begins the detail
   */
  checkedContent<T>(value: T | undefined, subject = 'The content'): T {
    const { violations: errors, isFull } = this;
    if (errors.length === 0 && value !== undefined) return value;
    const count = errors.length === 1 ? 'one rule' : `${errors.length} rules`;
    const detail = `${subject} violates ${isFull ? 'at least ' : ''}${count}`;
    throw new Problem('validation-failed', detail, { errors });
  }

  /**
   * Returns the value that has been read from a program, a setting or a file.
   * @param subject the beginning of the message @throws InvalidInputError if it is invalid
   */
  checkedInput<T>(value: T | undefined, subject: string): T {
    if (this.violations.length === 0 && value !== undefined) return value;
    throw new InvalidInputError(subject, this.violations);
  }
}

/** Invalid input of a program or of a file. The message is one line with the first violations. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';
  /** All violations, at most 1,000. */
  readonly violations: readonly Violation[];

  /** @param subject the beginning of the message, such as "the seed is invalid" */
  constructor(subject: string, violations: readonly Violation[]) {
    super(printable(`${subject}: ${listOf(violations)}`));
    this.violations = violations;
  }
}

function listOf(violations: readonly Violation[]): string {
  const texts = violations
    .slice(0, MAX_IN_MESSAGE)
    .map(({ pointer, detail }) => `${pointer === '#' ? 'it' : pointer} ${detail}`);
  const [first = ''] = texts;
  if (violations.length === 1) return first;
  const numbered = texts.map((text, i) => `(${i + 1}) ${text}`).join(' ');
  const isFull = violations.length >= MAX_VIOLATIONS;
  return `${isFull ? 'at least ' : ''}${violations.length} violations: ${numbered}`;
}
