/**
 * Finds the name that is most similar to a text, by edit distance; undefined if none is similar:
 * then more than a third of its letters, and more than one, would have to change.
 */
export function nearest(text: string, names: Iterable<string>): string | undefined {
  const a = text.slice(0, MAX_LENGTH).toLowerCase();
  let most = Math.max(1, Math.floor(a.length / 3));
  let best: string | undefined;
  for (const name of names) {
    if (Math.abs(name.length - a.length) > most) continue;
    const count = distance(a, name.toLowerCase());
    if (count <= most) [best, most] = [name, count - 1];
  }
  return best;
}

/** Only this many letters of a text are compared. */
const MAX_LENGTH = 40;

/** Whether one letter is missing, added or changed, or two neighbours are swapped. */
export function isOneLetterOff(text: string, name: string): boolean {
  return Math.abs(text.length - name.length) <= 1 && distance(text, name) === 1;
}

/** How many letters to insert, delete, replace, or swap with the next (Damerau's distance). */
function distance(a: string, b: string): number {
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
