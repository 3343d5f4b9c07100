/** Maps each value of an object, under the same name. */
export function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, map(value, name)]),
  );
}
