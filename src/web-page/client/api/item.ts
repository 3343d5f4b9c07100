import type { Field, Values } from './field.ts';

/** An item of the list. */
export interface Item {
  /** The id as text: the digits of a 64-bit integer, for example. */
  readonly id: string;
  /** What a user calls it: its title, or its id if nothing of the title is visible. */
  readonly name: string;
  readonly values: Values;
}

/** Any character that leaves a mark. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/** Whether a text has anything to see, and to click. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** The fields in which two items differ. */
export function differences(fields: readonly Field[], a: Item, b: Item): readonly Field[] {
  return fields.filter(({ name }) => a.values[name] !== b.values[name]);
}
