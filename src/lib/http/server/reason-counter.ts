/** Counts events by their reason, such as refusals of requests (operations.md: "Metrics"). */
export class ReasonCounter {
  readonly #counts = new Map<string, number>();

  add(reason: string): void {
    this.#counts.set(reason, this.count(reason) + 1);
  }

  /** The number of events with a reason. */
  count(reason: string): number {
    return this.#counts.get(reason) ?? 0;
  }
}
