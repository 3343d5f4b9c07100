const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]/g;

/** An open array or object of a text. */
interface Container {
  /** The names of the members of an object so far. */
  readonly names: Set<string> | undefined;
  /** The name or index of the current element. */
  place: string | number;
}

/** Returns the path of the first member of a JSON text whose name is repeated in its object. */
export function repeatedMember(text: string): readonly (string | number)[] | undefined {
  const open: Container[] = [];
  let previous = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const container = open.at(-1);
    if (token === '{') open.push({ names: new Set(), place: '' });
    else if (token === '[') open.push({ names: undefined, place: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof container?.place === 'number') container.place++;
    else if (token === ':' && container?.names) {
      const name: string = JSON.parse(previous);
      container.place = name;
      if (container.names.has(name)) return open.map(({ place }) => place);
      container.names.add(name);
    }
    previous = token;
  }
  return undefined;
}
