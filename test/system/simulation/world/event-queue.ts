/** Something that happens at a time. */
export interface Event {
  time: number;
  /** Events of the same time happen in this order. */
  order: number;
  /** Undefined if it has happened, or will not. */
  run: (() => void) | undefined;
}

/** Events by time: a binary heap. */
export class EventQueue<E extends Event> {
  readonly #events: E[] = [];

  get size(): number {
    return this.#events.length;
  }

  push(event: E): void {
    const events = this.#events;
    let index = events.length;
    events.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = events[parent];
      if (above === undefined || isBefore(above, event)) break;
      events[index] = above;
      index = parent;
    }
    events[index] = event;
  }

  /** Takes the first event. */
  pop(): E | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (last === undefined || events.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      let below = events[child];
      if (below === undefined) break;
      const other = events[child + 1];
      if (other !== undefined && isBefore(other, below)) {
        child++;
        below = other;
      }
      if (isBefore(last, below)) break;
      events[index] = below;
      index = child;
    }
    events[index] = last;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
