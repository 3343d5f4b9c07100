/**
 * The options of a property test: the number of runs, and the seed to replay a failure with (SEED,
 * printed by fast-check when a property fails).
 */
export function propertyOptions(numRuns: number): { numRuns: number; seed?: number } {
  const seed = process.env.SEED;
  return seed === undefined ? { numRuns } : { numRuns, seed: Number(seed) };
}
