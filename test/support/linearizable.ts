/** One operation of a history: when it was in progress, and what its client observed. */
export interface Operation<S> {
  readonly start: number;
  readonly end: number;
  /** A description for failure messages. */
  readonly what: string;
  /**
   * The next state if the operation takes effect in this one; undefined if its response rules that
   * out.
   */
  readonly step: (state: S) => S | undefined;
}

/**
 * Checks linearizability: looks for an order in which each operation takes effect at one moment
 * between its start and its end and returns what its client observed (Herlihy and Wing, 1990; the
 * search is that of Wing and Gong).
 * @param keyOf identifies a state, so that the search visits no dead end twice
 * @returns undefined if there is such an order, else the operations at which the search got stuck
 */
export function findViolation<S>(
  initial: S,
  history: readonly Operation<S>[],
  keyOf: (state: S) => string,
): readonly Operation<S>[] | undefined {
  const keyFor = ({ state, rest }: Place<S>) =>
    `${rest.map(({ start }) => start).join()} ${keyOf(state)}`;
  const deadEnds = new Set<string>();
  const first = placeAt(
    initial,
    history.toSorted((a, b) => a.start - b.start),
  );
  let shortestRest = first.rest;
  // Not a recursion, because a history may be longer than the call stack is deep.
  const path = [first];
  for (let place = path.at(-1); place !== undefined; place = path.at(-1)) {
    if (place.rest.length === 0) return undefined;
    const operation = place.untried.pop();
    if (operation === undefined) {
      deadEnds.add(keyFor(place));
      path.pop();
      continue;
    }
    const state = operation.step(place.state);
    if (state === undefined) continue;
    const next = placeAt(
      state,
      place.rest.filter((other) => other !== operation),
    );
    if (deadEnds.has(keyFor(next))) continue;
    path.push(next);
    if (next.rest.length < shortestRest.length) shortestRest = next.rest;
  }
  return shortestRest;
}

/** A place in the search: a state, and the operations that have not taken effect yet. */
interface Place<S> {
  readonly state: S;
  /** Sorted by their start. */
  readonly rest: readonly Operation<S>[];
  /** Those that may be the next, the earliest last, and that were not tried yet. */
  readonly untried: Operation<S>[];
}

function placeAt<S>(state: S, rest: readonly Operation<S>[]): Place<S> {
  const firstEnd = rest.reduce((least, { end }) => Math.min(least, end), Number.POSITIVE_INFINITY);
  return { state, rest, untried: rest.filter(({ start }) => start <= firstEnd).reverse() };
}
