import { clock, type Timer } from '../../clock.ts';
import { type ByteString, byteString, joined } from '../../json/byte-string.ts';
import { overloaded } from '../core/overloaded.ts';
import { Problem } from '../core/problem.ts';
import type { Live, Sink } from '../core/response.ts';
import type { Work } from '../core/work.ts';
import { type Archive, sendArchive } from './archive.ts';
import { EventHistory } from './event-history.ts';
import type { CommitEvents } from './history-block.ts';
import { type Again, Rounds } from './rounds.ts';
import { HEARTBEAT, RETRY, type ServerSentEvent, textOf, textOfAll } from './server-sent-event.ts';

/** Limits of a hub. */
export interface EventHubLimits {
  readonly maxStreams: number;
  /** The most memory for the history of events, in bytes. */
  readonly maxHistoryBytes: number;
}

/** How many streams to send the same in one step of work: some hundredths of a millisecond. */
const STREAMS_PER_STEP = 8;

/** The longest silence of a stream, in milliseconds. Proxies and clients wait longer. */
const HEARTBEAT_MS = 15_000;

/** How long a client's machine gets to report that the client has gone, in milliseconds. */
const PROBE_MS = 100;

/** Browsers drop events without data. */
const NO_DATA = byteString('{}');

const READY: ServerSentEvent = { event: byteString('ready'), data: NO_DATA };

const RESET: ServerSentEvent = { event: byteString('reset'), data: NO_DATA };

const NOTHING = byteString('');

/** A stream, and the number of the last commit written to it. */
interface Stream {
  readonly sink: Sink;
  last: number;
}

/**
 * Sends the events of commits to any number of streams, in order, and lets a stream that was cut
 * off resume. A stream holds no events itself: it follows the history, and is cut if it falls
 * behind the beginning of the history. What precedes that may come from an archive first.
 */
export class EventHub {
  #run: string;
  readonly #limits: EventHubLimits;
  readonly #work: (work: Work<void>) => void | Promise<void>;
  #history: EventHistory;
  readonly #streams = new Set<Stream>();
  readonly #rounds = new Rounds(() => this.#round());
  /** Streams that are being sent an archive. */
  readonly #late = new Set<Sink>();
  #hasEnded = false;
  #heartbeat: Timer | undefined;
  /** Bytes of the history used up since the last round began. */
  #unsentBytes = 0;

  /**
   * @param run distinguishes the ids of these events from those of other runs of the process
   * @param work runs long work in turn with other work
   */
  constructor(
    run: string,
    limits: EventHubLimits,
    work: (work: Work<void>) => void | Promise<void>,
  ) {
    this.#run = run;
    this.#limits = limits;
    this.#work = work;
    this.#history = new EventHistory(0, limits.maxHistoryBytes);
  }

  /** How many streams are open. */
  get size(): number {
    return this.#streams.size + this.#late.size;
  }

  /** The memory that the history holds, in bytes. */
  get bytes(): number {
    return this.#history.bytes;
  }

  /**
   * Makes the content of a stream.
   * @param lastEventId the id of the last event that the client has seen, if any
   * @param archive what the client has missed, if the history does not have it
   * @throws Problem `overloaded`
   */
  open(lastEventId: string | undefined, archive?: Archive): Live {
    if (this.size >= this.#limits.maxStreams) {
      throw overloaded('Too many event streams are open');
    }
    return { open: (sink) => this.#add(sink, lastEventId, archive) };
  }

  /** All events after this commit are kept. */
  get beginning(): number {
    return this.#history.beginning;
  }

  /** The number of the last commit. */
  get last(): number {
    return this.#history.last;
  }

  /** Sends the events of a commit, whose number is greater than that of the one before. */
  publish(commit: CommitEvents): void {
    this.#unsentBytes += this.#history.append(commit);
    this.#requestRound();
  }

  /**
   * Sends `reset` to all streams.
   * @param number the number of the commit that replaced everything
   * @param run distinguishes later event ids from those before
   */
  reset(number: number, run = this.#run): void {
    // Their archives are from before the reset.
    for (const sink of this.#late) sink.cut();
    this.#late.clear();
    const isSequel = run === this.#run && number > this.last;
    this.#run = run;
    if (this.#streams.size === 0 || !isSequel) {
      const beginning = this.#streams.size === 0 ? number : number - 1;
      this.#history = new EventHistory(beginning, this.#limits.maxHistoryBytes);
    }
    if (this.#streams.size === 0) return;
    const before = this.last;
    this.publish({ number, events: [RESET] });
    this.#history.forgetThrough(before);
    for (const stream of this.#streams) stream.last = before;
  }

  /** Ends all streams. One that opens later ends right after `ready`. */
  end(): void {
    this.#hasEnded = true;
    this.#rounds.stop();
    for (const { sink } of this.#streams) sink.end();
    for (const sink of this.#late) sink.end();
    this.#late.clear();
  }

  #add(sink: Sink, lastEventId: string | undefined, archive: Archive | undefined): void {
    const { last } = this;
    const wanted = lastEventId === undefined ? last : this.numberOf(lastEventId);
    const isKept = wanted !== undefined && this.#history.hasAfter(wanted);
    const seen = isKept || archive ? wanted : undefined;
    const id = byteString(`id: ${this.#idOf(seen ?? last)}\n`);
    // Without the reset, this id would skip what is missing, if the stream breaks off between them.
    sink.write(joined(RETRY, textOf(READY, seen === undefined ? NOTHING : id)));
    if (seen === undefined) sink.write(textOf(RESET, id));
    if (this.#hasEnded) sink.end();
    else if (isKept || !archive || seen === undefined) this.#follow({ sink, last: seen ?? last });
    else this.#sendArchive(sink, archive);
  }

  /** Lets a stream follow the history. */
  #follow(stream: Stream): void {
    const { sink } = stream;
    this.#streams.add(stream);
    this.#heartbeat ??= clock.setInterval(() => this.#do(this.#beat()), HEARTBEAT_MS).unref();
    sink.onDrain(() => this.#requestRound(stream.last < this.last));
    sink.onClose(() => this.#remove(stream));
    sink.onHalfClosed(() => this.#probe(stream));
    if (stream.last < this.last) this.#requestRound();
  }

  /** Sends an archive, until the stream can follow the history. */
  async #sendArchive(sink: Sink, archive: Archive): Promise<void> {
    this.#late.add(sink);
    sink.onClose(() => this.#late.delete(sink));
    const last = await sendArchive(sink, archive, {
      toText: (commit) => this.#textOf(commit),
      isEnough: (number) => this.#history.hasAfter(number),
      isOpen: () => this.#late.has(sink),
    });
    if (!this.#late.delete(sink)) return;
    if (last !== undefined) this.#follow({ sink, last });
    // The client will reconnect, and learn whether it needs a reset.
    else sink.cut();
  }

  /**
   * If the client has gone, the first write makes its machine report that, and the second fails.
   */
  #probe(stream: Stream): void {
    if (this.#hasEnded) return;
    stream.sink.write(HEARTBEAT);
    const again = () => {
      if (this.#streams.has(stream) && !this.#hasEnded) stream.sink.write(HEARTBEAT);
    };
    clock.setTimeout(again, PROBE_MS).unref();
  }

  #remove(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clock.clear(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /**
   * Asks for a round: soon, or at once if there is much to send.
   * @param isBehind whether a stream waits for what others have been sent
   */
  #requestRound(isBehind = false): void {
    if (this.#streams.size > 0) this.#rounds.request(isBehind || this.#isMuchUnsent);
  }

  get #isMuchUnsent(): boolean {
    return this.#unsentBytes > this.#limits.maxHistoryBytes / 4;
  }

  async #round(): Promise<Again> {
    this.#unsentBytes = 0;
    const end = this.last;
    const isDone = await this.#do(this.#sendAll(end));
    // A stream may have drained during the round.
    const ready = [...this.#streams].filter((stream) => this.#canTake(stream));
    if (ready.length === 0) return 'if asked';
    const isBehind = isDone && ready.some(({ last }) => last < end);
    return isBehind || this.#isMuchUnsent ? 'at once' : 'later';
  }

  /**
   * Writes everything up to a number to all streams. A stream that is not drained gets it later.
   */
  *#sendAll(end: number): Generator<void, void> {
    let sent = 0;
    let chunk = { from: Number.NaN, text: NOTHING, number: 0 };
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (const stream of [...this.#streams]) {
        const { sink, last: from } = stream;
        if (from >= end || !this.#canTake(stream)) continue;
        const isNew = chunk.from !== from;
        if (isNew) chunk = { from, ...this.#chunkAfter(from) };
        stream.last = chunk.number;
        sink.write(chunk.text);
        if (stream.last < end && sink.isDrained) isDone = false;
        // To make a chunk takes some tenths of a millisecond.
        if (isNew || ++sent % STREAMS_PER_STEP === 0) yield;
      }
    }
  }

  /** Whether to write to a stream now. A stream that has missed events is cut. */
  #canTake({ sink, last }: Stream): boolean {
    if (last === this.last || this.#hasEnded) return false;
    if (this.#history.hasAfter(last)) return sink.isDrained;
    sink.cut();
    return false;
  }

  *#beat(): Generator<void, void> {
    let sent = 0;
    for (const { sink } of [...this.#streams]) {
      if (sink.isDrained && !this.#hasEnded) sink.write(HEARTBEAT);
      if (++sent % STREAMS_PER_STEP === 0) yield;
    }
  }

  /**
   * Runs work; drops it if the service is overloaded, since it will be tried again.
   * @returns whether it was done
   */
  async #do(work: Work<void>): Promise<boolean> {
    try {
      await this.#work(work);
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return false;
    }
  }

  #idOf(number: number): string {
    return `${this.#run}.${number}`;
  }

  /** The number of the commit that an id names; undefined if the id is not from this run. */
  numberOf(id: string): number | undefined {
    const [run, number = ''] = id.split('.');
    return run === this.#run && /^\d{1,15}$/.test(number) ? Number(number) : undefined;
  }

  /** The text of what the history has after a number, and the number of the last commit in it. */
  #chunkAfter(from: number): { readonly text: ByteString; readonly number: number } {
    const commits = this.#history.after(from);
    const number = commits.at(-1)?.number ?? from;
    return { text: joined(...commits.map((commit) => this.#textOf(commit))), number };
  }

  #textOf({ number, events }: CommitEvents): ByteString {
    return textOfAll(events, byteString(`id: ${this.#idOf(number)}\n`));
  }
}
