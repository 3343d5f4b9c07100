/** The operators that a name may be followed by, such as `gte` in `priority.gte`. */
export type OperatorsByName = Readonly<Record<string, readonly string[]>>;

/**
 * Finds the name that a misspelled text probably stands for; undefined if no name is similar, or if
 * several are equally similar. Understands other notations: `id[]` for `id.in`, `priority[gte]`,
 * `priority_gte` and `priority:gte` for `priority.gte`, and `priority>`, the name that is parsed
 * from `priority>=1`. Ignores a leading `_`. After a name with operators, compares only operators.
 * @param synonyms the suggestions for a text that is spelled differently, by that text
 */
export function nearest(
  text: string,
  names: readonly string[],
  operators: OperatorsByName = {},
  synonyms: ReadonlyMap<string, readonly string[]> = new Map(),
): string | undefined {
  const given = text.replace(/^_+/, '').slice(0, MAX_LENGTH);
  // The longest name counts: `due_at_lt` is about `dueAt`, even if there is a `due`.
  const longestFirst = Object.keys(operators).sort((a, b) => b.length - a.length);
  for (const name of longestFirst) {
    const rest = textAfter(name, given);
    if (rest === '') return name;
    if (rest === undefined) continue;
    const found = mostSimilar(operatorIn(rest), operators[name] ?? [], synonyms);
    return anyOf(found.map((operator) => `${name}.${operator}`));
  }
  return anyOf(mostSimilar(given, names, synonyms));
}

function anyOf(names: readonly string[]): string | undefined {
  return names.length < 2 ? names[0] : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** The UTF-16 units of a text that are compared. */
const MAX_LENGTH = 40;

/** The rest of a text that begins with a name; undefined if a letter or digit follows the name. */
function textAfter(name: string, text: string): string | undefined {
  for (let end = text.length; end > 0; end--) {
    const isEnd = end === text.length || /[^a-z0-9]/i.test(text.charAt(end));
    if (isEnd && plain(text.slice(0, end)) === plain(name)) return text.slice(end);
  }
  return undefined;
}

const SIGNS: Readonly<Record<string, string>> = { '>': 'gte', '<': 'lte', '!': 'ne' };

/** The operator in the text after a name, as other notations write it. */
function operatorIn(rest: string): string {
  if (/^\[\d*\]$/.test(rest)) return 'in';
  return SIGNS[rest] ?? rest.replaceAll(/[^a-z]/gi, '');
}

/** The most similar name, or all synonyms. */
function mostSimilar(
  text: string,
  names: readonly string[],
  synonyms: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const wanted = plain(text);
  const others = synonyms.get(wanted);
  const isKnown = (other: string) =>
    names.some((name) => name === other || name.endsWith(`.${other}`));
  if (others?.every(isKnown)) return others;
  const most = Math.max(1, Math.floor(wanted.length / 3));
  let least = most + 1;
  let found: string[] = [];
  for (const name of names) {
    const compared = plain(name);
    // Too many words of fewer than 4 letters are similar, so those must be equal.
    const areShort = Math.max(compared.length, wanted.length) < 4;
    if (areShort && compared !== wanted) continue;
    if (Math.abs(compared.length - wanted.length) > most) continue;
    const count = distance(wanted, compared);
    if (count < least) [least, found] = [count, []];
    if (count === least && count <= most) found.push(name);
  }
  return found.length === 1 ? found : [];
}

/** A text without letter case, `_` and `-`. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[_-]/g, '');
}

/** The number of letters to insert, delete, replace or swap (Damerau–Levenshtein distance). */
export function distance(a: string, b: string): number {
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
