import { PendingWaits } from '../../lib/pending-waits.ts';

const NAME_LENGTH = 8;

/** A cursor: the name of a journal, and the number of a change. */
export const CURSOR = new RegExp(`^[a-z0-9]{${NAME_LENGTH}}\\.\\d{1,15}$`);

/** Less than the number of any change. */
const BEFORE_ALL_CHANGES = -1;

/**
 * Numbers the changes that readers of a journal follow: those of its entries, and those of the faults
 * of its list. Each change ends the waits for it. A cursor names the last change of a moment.
 */
export class Changes {
  /** Ended when the list is replaced or removed, and when the service stops. */
  readonly waits = new PendingWaits();
  #journalName = randomName();
  #last = 0;
  #lastWithoutEntry = 0;

  /** Differs from the names of all other journals, including those of earlier processes. */
  get journalName(): string {
    return this.#journalName;
  }

  /** The cursor of this moment. */
  get cursor(): string {
    return `${this.#journalName}.${this.#last}`;
  }

  /** The number of the change that a cursor names; less than any if it is of another journal. */
  numberOf(cursor: string | undefined): number {
    const [name, number] = cursor?.split('.') ?? [];
    return name === this.#journalName ? Number(number) : BEFORE_ALL_CHANGES;
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

  /** Whether something other than an entry changed after the change with this number. */
  hasOtherChangeAfter(number: number): boolean {
    return this.#lastWithoutEntry > number;
  }

  /** Begins another journal. Numbers go on, but earlier cursors are of no journal. */
  restart(): void {
    this.#journalName = randomName();
    this.markOther();
  }
}

function randomName(): string {
  const digits = Math.random().toString(36);
  return digits.slice(2, 2 + NAME_LENGTH).padEnd(NAME_LENGTH, '0');
}
