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
 * @param maxSteps the steps after which to give up, because many open operations take too long
 * @returns undefined if there is such an order, else the operations at which the search got stuck
 */
export function findViolation<S>(
  initial: S,
  history: readonly Operation<S>[],
  keyOf: (state: S) => string,
  maxSteps = Number.POSITIVE_INFINITY,
): readonly Operation<S>[] | undefined {
  const byStart = [...history].sort((a, b) => a.start - b.start);
  const deadEnds = new Set<string>();
  let shortestRest: readonly Operation<S>[] = byStart;
  let steps = 0;

  const search = (state: S, rest: readonly Operation<S>[]): boolean => {
    if (rest.length === 0 || ++steps > maxSteps) return true;
    if (rest.length < shortestRest.length) shortestRest = rest;
    const key = `${rest.map(({ start }) => start).join()} ${keyOf(state)}`;
    if (deadEnds.has(key)) return false;
    const firstEnd = Math.min(...rest.map(({ end }) => end));
    for (const operation of rest) {
      if (operation.start > firstEnd) break;
      const next = operation.step(state);
      if (next === undefined) continue;
      if (
        search(
          next,
          rest.filter((other) => other !== operation),
        )
      )
        return true;
    }
    deadEnds.add(key);
    return false;
  };
  return search(initial, byStart) ? undefined : shortestRest;
}
