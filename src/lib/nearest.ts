/** Other usual names of things, by name. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

/** The minimum length at which names that differ are compared. Shorter words resemble too many. */
const MIN_LENGTH = 4;

/**
 * Whether a text probably stands for a name. They are equal without letter case, `_` and `-`, or
 * both have at least four characters and are one character apart.
 * @param aliases other names of the same thing, which must be equal without letter case, `_` and `-`
 */
export function isClose(text: string, name: string, aliases: readonly string[] = []): boolean {
  const given = plain(text);
  const known = plain(name);
  if (given === known || aliases.some((alias) => plain(alias) === given)) return true;
  const isLong = Math.min(given.length, known.length) >= MIN_LENGTH;
  // A long text is not compared. A character may have two UTF-16 units.
  return isLong && given.length <= known.length + 2 && distance(given, known) === 1;
}

/**
 * Finds the name that a misspelt one probably stands for, up to a third of its characters away.
 * Returns undefined if no name is near, or if several are equally near.
 */
export function nearest(
  text: string,
  names: readonly string[],
  aliases: Aliases = {},
): string | undefined {
  const given = plain(text).slice(0, MAX_LENGTH);
  const aliased = names.find((name) => aliases[name]?.some((alias) => plain(alias) === given));
  if (aliased !== undefined) return aliased;
  const maxDistance = Math.max(1, Math.floor(given.length / 3));
  let least = maxDistance;
  let found: string[] = [];
  for (const name of names) {
    const known = plain(name);
    const isShort = Math.max(given.length, known.length) < MIN_LENGTH;
    if (isShort && given !== known) continue;
    if (Math.abs(known.length - given.length) > maxDistance) continue;
    const count = distance(given, known);
    if (count < least) [least, found] = [count, []];
    if (count === least) found.push(name);
  }
  return found.length === 1 ? found[0] : undefined;
}

/** The UTF-16 units of a text that are compared. */
const MAX_LENGTH = 40;

/** The end of a sentence that suggests names; empty if there are none. */
export function didYouMean(...names: readonly string[]): string {
  const last = names.at(-1);
  if (last === undefined) return '';
  const others = names.slice(0, -1).join(', ');
  return `; did you mean ${others === '' ? '' : `${others} or `}${last}?`;
}

/** A name without letter case, `_` and `-`. */
export function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/** The characters to insert, delete, replace or swap with a neighbour (Damerau–Levenshtein). */
export function distance(from: string, to: string): number {
  const [a, b] = [[...from], [...to]];
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
