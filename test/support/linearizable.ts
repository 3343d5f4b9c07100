/** One operation of a history: when it was under way, and what it did as far as its client saw. */
export interface Operation<S> {
  readonly start: number;
  readonly end: number;
  /** For a person to read. */
  readonly what: string;
  /**
   * The state after it, had it happened at once in this one; undefined where its answer would have
   * been another.
   */
  readonly step: (state: S) => S | undefined;
}

/**
 * Finds an order of the operations in which each happens at one moment between its start and its
 * end and gives the answer it gave (Herlihy and Wing, 1990; the search is that of Wing and Gong).
 * @param keyOf tells states apart, for a state that was a dead end needs no second visit.
 * @returns undefined where there is such an order, else the operations that no order gets past.
 */
export function findViolation<S>(
  initial: S,
  history: readonly Operation<S>[],
  keyOf: (state: S) => string,
): readonly Operation<S>[] | undefined {
  const byStart = [...history].sort((a, b) => a.start - b.start);
  const deadEnds = new Set<string>();
  let shortestRest: readonly Operation<S>[] = byStart;

  const search = (state: S, rest: readonly Operation<S>[]): boolean => {
    if (rest.length === 0) return true;
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
