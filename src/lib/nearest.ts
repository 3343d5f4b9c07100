/** Other usual names of things, by name. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

/**
 * Finds the name that an unknown one probably stands for. Names are compared without letter case,
 * `_` and `-`; up to a third of the letters of the longer one may differ. Returns undefined if no
 * name is near, or if several are equally near.
 * @param aliases other names of the same thing, which are compared, too
 */
export function nearest(
  text: string,
  names: readonly string[],
  aliases: Aliases = {},
): string | undefined {
  const given = plain(text).slice(0, MAX_LENGTH);
  let least = Number.POSITIVE_INFINITY;
  let found = new Set<string>();
  for (const name of names) {
    for (const known of [name, ...(aliases[name] ?? [])].map(plain)) {
      const maxDistance = Math.floor(Math.max(given.length, known.length) / 3);
      if (Math.abs(known.length - given.length) > maxDistance) continue;
      const count = distance(given, known);
      if (count > maxDistance || count > least) continue;
      if (count < least) [least, found] = [count, new Set()];
      found.add(name);
    }
  }
  const [only] = found;
  return found.size === 1 ? only : undefined;
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
function plain(name: string): string {
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
