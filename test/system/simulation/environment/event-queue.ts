/** Something that happens at a time. */
export interface Event {
  time: number;
  /** Events of the same time happen in this order. */
  order: number;
  /** Undefined if it has happened, or will not. */
  run: (() => void) | undefined;
}

/** Events by time. */
export class EventQueue<E extends Event> {
  /** The next event is the last one. */
  readonly #events: E[] = [];

  get size(): number {
    return this.#events.length;
  }

  push(event: E): void {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#events[middle];
      if (other !== undefined && isBefore(event, other)) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  /** Takes the next event. */
  pop(): E | undefined {
    return this.#events.pop();
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
