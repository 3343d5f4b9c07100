import { PendingWaits } from '../../lib/pending-waits.ts';

const NAME_LENGTH = 8;

/** A cursor: the name of a journal, and the number of a change. */
export const CURSOR = new RegExp(`^[a-z0-9]{${NAME_LENGTH}}\\.\\d{1,15}$`);

/** Less than the number of any change. */
const NONE = -1;

/**
 * Numbers the changes that readers of a journal follow: those of its entries, and those of the faults
 * of its list. Each change ends the waits for it. A cursor names the last change of a moment.
 */
export class Changes {
  /** Ended when another list is in the place of the journal's, and by a stop. */
  readonly waits = new PendingWaits();
  #journal = randomName();
  #last = 0;
  #lastWithoutEntry = 0;

  /** The name of the journal. Others have different ones, also those of an earlier process. */
  get journal(): string {
    return this.#journal;
  }

  /** The cursor of this moment. */
  get cursor(): string {
    return `${this.#journal}.${this.#last}`;
  }

  /** The number of the change that a cursor names; less than any if it is of another journal. */
  numberOf(cursor: string | undefined): number {
    const [journal, number] = cursor?.split('.') ?? [];
    return journal === this.#journal ? Number(number) : NONE;
  }

  /** Event: an entry came or changed. */
  mark(entry: { lastChange: number }): void {
    entry.lastChange = ++this.#last;
    this.waits.check();
  }

  /** Event: something other than an entry has changed. */
  markOther(): void {
    this.#lastWithoutEntry = ++this.#last;
    this.waits.check();
  }

  /** Whether something other than an entry has changed after a change. */
  isOtherAfter(number: number): boolean {
    return this.#lastWithoutEntry > number;
  }

  /** Begins another journal. Its cursors go on, but none of before is one of them. */
  restart(): void {
    this.#journal = randomName();
    this.markOther();
  }
}

function randomName(): string {
  const digits = Math.random().toString(36);
  return digits.slice(2, 2 + NAME_LENGTH).padEnd(NAME_LENGTH, '0');
}
