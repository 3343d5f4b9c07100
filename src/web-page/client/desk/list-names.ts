/** The longest name of a list, in characters. */
const MAX_NAME = 64;

/**
 * Derives names of lists from names of people, separated by line ends, commas or semicolons. Accents
 * are removed. A name without a usable character becomes `list`. A repeated name gets a number.
 */
export function listNamesIn(text: string): readonly string[] {
  const names = new Set<string>();
  const lines = text.split(/[\n,;]/).filter((line) => line.trim() !== '');
  for (const line of lines) {
    const name = listNameOf(line) || 'list';
    let free = name;
    for (let number = 2; names.has(free); number++) {
      free = `${name.slice(0, MAX_NAME - 1 - String(number).length)}-${number}`;
    }
    names.add(free);
  }
  return [...names];
}

function listNameOf(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const letters = plain
    .replaceAll('\u00df', 'ss')
    .replaceAll('\u00f8', 'o')
    .replaceAll('\u0142', 'l');
  const name = letters.replaceAll(/[^a-z0-9._~]+/g, '-').slice(0, MAX_NAME);
  return name.replaceAll(/^[-.]+|[-.]+$/g, '');
}
