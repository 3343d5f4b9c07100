import { type ByteString, byteString, byteStringOf, joined, part } from '../../json/byte-string.ts';
import type { ServerSentEvent } from './server-sent-event.ts';

/** The events of one commit, and its number. */
export interface CommitEvents {
  readonly number: number;
  /** At least one. */
  readonly events: readonly ServerSentEvent[];
}

/** What a block has room for. */
export interface BlockRoom {
  readonly events: number;
  /** The bytes of the data of all events. */
  readonly dataBytes: number;
}

/** The memory for an event besides its data, in bytes. */
const EVENT_BYTES = 24;

/** Data is gathered up to this size before it is written: each write is costly by itself. */
const WRITE_BYTES = 4 * 1024;

/** The share of a block that is for what is not data. */
const EVENTS_SHARE = 1 / 4;

const NOTHING = byteString('');

/** Returns what to make a block for, so that it takes at most some bytes. */
export function roomIn(bytes: number): BlockRoom {
  const events = Math.floor((bytes * EVENTS_SHARE) / EVENT_BYTES);
  return { events, dataBytes: Math.floor(bytes) - events * EVENT_BYTES };
}

/** Returns the room that a commit takes. */
export function roomOf({ events }: CommitEvents): BlockRoom {
  return {
    events: events.length,
    dataBytes: events.reduce((sum, { data }) => sum + data.length, 0),
  };
}

/** The part of a block that a commit uses up, in bytes: of the room that it takes more of. */
export function bytesUsedBy({ events, dataBytes }: BlockRoom): number {
  return Math.max((events * EVENT_BYTES) / EVENTS_SHARE, dataBytes / (1 - EVENTS_SHARE));
}

/** The memory of a block with some room, in bytes. */
export function bytesOf({ events, dataBytes }: BlockRoom): number {
  return events * EVENT_BYTES + dataBytes;
}

/** The events of consecutive commits, by ascending number, with their data in a buffer. */
export class HistoryBlock {
  readonly room: BlockRoom;
  readonly #buffer: Buffer;
  /** The number of the commit of each event, its name, and where its data ends. */
  readonly #numbers: number[] = [];
  readonly #names: ByteString[] = [];
  readonly #ends: number[] = [];
  /** Data yet to be written to the buffer. */
  #unwritten = NOTHING;

  constructor(room: BlockRoom) {
    this.room = room;
    this.#buffer = Buffer.allocUnsafeSlow(room.dataBytes);
  }

  /** The number of the last commit, of which there must be one. */
  get last(): number {
    return this.#numbers.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  get #end(): number {
    return this.#ends.at(-1) ?? 0;
  }

  hasRoomFor({ events, dataBytes }: BlockRoom): boolean {
    if (this.#numbers.length + events > this.room.events) return false;
    return this.#end + dataBytes <= this.room.dataBytes;
  }

  /** Adds a commit, for which there must be room. */
  append({ number, events }: CommitEvents): void {
    for (const { event, data } of events) {
      this.#ends.push(this.#end + data.length);
      this.#names.push(event);
      this.#numbers.push(number);
      this.#unwritten = joined(this.#unwritten, data);
    }
    if (this.#unwritten.length >= WRITE_BYTES) this.write();
  }

  /** Returns all commits after the one with a number. */
  after(number: number): readonly CommitEvents[] {
    this.write();
    const first = this.#numbers.findLastIndex((each) => each <= number) + 1;
    const start = this.#ends[first - 1] ?? 0;
    const data = byteStringOf(this.#buffer, start, this.#end);
    const commits: CommitEvents[] = [];
    let events: ServerSentEvent[] = [];
    for (let i = first; i < this.#numbers.length; i++) {
      const from = (this.#ends[i - 1] ?? 0) - start;
      const to = (this.#ends[i] ?? 0) - start;
      events.push({ event: this.#names[i] ?? NOTHING, data: part(data, from, to) });
      const each = this.#numbers[i] ?? 0;
      if (this.#numbers[i + 1] === each) continue;
      commits.push({ number: each, events });
      events = [];
    }
    return commits;
  }

  /** Writes the gathered data, which uses separate memory until then. */
  write(): void {
    this.#buffer.write(this.#unwritten, this.#end - this.#unwritten.length, 'latin1');
    this.#unwritten = NOTHING;
  }

  /** Removes all commits. */
  clear(): void {
    this.#numbers.length = 0;
    this.#names.length = 0;
    this.#ends.length = 0;
    this.#unwritten = NOTHING;
  }
}
