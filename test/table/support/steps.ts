/** Does all steps of some work, and returns its result. */
export function resultOf<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
