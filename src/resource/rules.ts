import type { Kind, Value } from '../table/column.ts';
import type { Rules } from './field.ts';
import { codePoints, isBlank } from './text.ts';

/** What a broken rule is told: the code a client branches on, the sentence that says what is allowed. */
export interface Broken {
  readonly code: string;
  readonly detail: string;
}

/** A rule that a value of a request can break. */
export interface Rule extends Broken {
  holds(value: Value): boolean;
}

/** The rule that a JSON value has the type of its field. */
export interface TypeRule extends Broken {
  holds(value: unknown): value is Value;
}

/**
 * What is broken when a member is absent, or null. A field that must not be blank says so then, too: its sentence is
 * the answer to every way of leaving it empty, as with Bean Validation's NotBlank.
 */
export function presenceRules({ notBlank }: Rules): { required: Broken; notNull: Broken } {
  return {
    required: { code: 'required', detail: notBlank ?? 'must be present' },
    notNull: { code: 'not-null', detail: notBlank ?? 'must not be null' },
  };
}

/** The JSON type of each kind that a request can carry. The others are assigned by the service. */
export const TYPE_RULES: Readonly<Partial<Record<Kind, TypeRule>>> = {
  text: { code: 'type', detail: 'must be a string', holds: (value) => typeof value === 'string' },
  integer: {
    code: 'type',
    detail: 'must be an integer',
    holds: (value): value is number => Number.isInteger(value),
  },
  boolean: {
    code: 'type',
    detail: 'must be true or false',
    holds: (value) => typeof value === 'boolean',
  },
};

const WELL_FORMED: Rule = textRule(
  'well-formed',
  'must be well-formed Unicode, without a lone surrogate',
  (text) => text.isWellFormed(),
);

/** The rules that a value of the right type must keep, all of them checked. */
export function valueRules(kind: Kind, rules: Rules): readonly Rule[] {
  const { notBlank, minLength, maxLength, minimum, maximum } = rules;
  const list: Rule[] = [];
  if (kind === 'text') list.push(WELL_FORMED);
  if (notBlank !== undefined) list.push(textRule('not-blank', notBlank, (text) => !isBlank(text)));
  if (minLength !== undefined) {
    const detail = `must be at least ${minLength} ${plural('character', minLength)} long`;
    list.push(
      textRule(
        'min-length',
        detail,
        (text) => text.length >= 2 * minLength || codePoints(text) >= minLength,
      ),
    );
  }
  if (maxLength !== undefined) {
    const detail = `must be at most ${maxLength} ${plural('character', maxLength)} long`;
    list.push(
      textRule(
        'max-length',
        detail,
        (text) => text.length <= maxLength || codePoints(text) <= maxLength,
      ),
    );
  }
  if (minimum !== undefined) {
    const detail = `must be at least ${minimum}`;
    list.push({ code: 'minimum', detail, holds: (value) => Number(value) >= minimum });
  }
  if (maximum !== undefined) {
    const detail = `must be at most ${maximum}`;
    list.push({ code: 'maximum', detail, holds: (value) => Number(value) <= maximum });
  }
  return list;
}

function textRule(code: string, detail: string, holds: (text: string) => boolean): Rule {
  return { code, detail, holds: (value) => typeof value === 'string' && holds(value) };
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}
