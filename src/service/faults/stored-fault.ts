import { exactJsonText, parseJson } from '../../lib/json/index.ts';
import { mapped, type Shape } from '../resource/shape.ts';
import type { Fault } from './fault.ts';

declare const type: unique symbol;

/** The JSON text of a value, which takes much less memory than objects. */
export type JsonText<T> = string & { readonly [type]: T };

const TEXTS = ['requestHeaders', 'query', 'headers', 'content', 'contentPatch'] as const;

/** A valid fault as the service keeps it: objects, and any content, as JSON texts. */
export type StoredFault = {
  readonly [K in keyof Fault]: K extends (typeof TEXTS)[number]
    ? JsonText<Exclude<Fault[K], undefined>> | undefined
    : Fault[K];
};

/** The shape of a value that is kept as its text. */
export function asText<T>(shape: Shape<T>): Shape<JsonText<T>> {
  return mapped(shape, (value, validation) => {
    // The only cast to such a text, with the type of its value.
    const json = exactJsonText(value) as JsonText<T> | undefined;
    return json ?? validation.violate('type', 'must be JSON of well-formed Unicode');
  });
}

/** The value of a text, or else a value for an absent one. */
export function valueOfText<T>(text: JsonText<T> | undefined, absent: T): T {
  return text === undefined ? absent : (parseJson(text) as T);
}

/** The JSON text of a fault, and of a further member. */
export function faultJson(fault: StoredFault, hits?: number): string {
  const texts: readonly string[] = TEXTS;
  const members = Object.entries({ ...fault, hits }).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return `"${name}":${texts.includes(name) ? value : exactJsonText(value)}`;
  });
  return `{${members}}`;
}
