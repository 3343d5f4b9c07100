import { type ByteString, byteString, joined } from '../../json/byte-string.ts';
import { overloaded } from '../core/overloaded.ts';
import { Problem } from '../core/problem.ts';
import type { Live, Sink } from '../core/response.ts';
import type { Work } from '../core/work.ts';
import { EventHistory } from './event-history.ts';

/** One event of a stream (the HTML standard, section 9.2); `data` has no line breaks. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: ByteString;
}

/** What bounds the streams of a hub. */
export interface EventHubLimits {
  readonly maxStreams: number;
  /** What the history of events may take, in bytes. */
  readonly maxHistoryBytes: number;
}

/** What is written to a stream at once, in bytes, unless a single commit is longer. */
const CHUNK_BYTES = 256 * 1024;

/** How often at most streams are written to, in milliseconds: what comes in between goes together. */
const ROUND_MS = 40;

/** Streams that are written to before others have their turn: some hundredths of a millisecond. */
const STREAMS_PER_STEP = 8;

/** How long a stream is silent at most, in milliseconds: proxies and clients wait longer. */
const HEARTBEAT_MS = 15_000;

/** How long the machine of a client has to say that the client has gone, in milliseconds. */
const PROBE_MS = 100;

const HEARTBEAT = byteString(':\n\n');

/** How soon a client that was cut off comes back, in milliseconds. */
const RETRY = byteString('retry: 1000\n');

/** Browsers drop events without data. */
const NO_DATA = byteString('{}');

/** A stream, and the number of the commit whose events it gets next. */
interface Stream {
  readonly sink: Sink;
  next: number;
}

/**
 * Sends the events of commits to any number of streams, in order, and lets a stream that was cut
 * off go on where it was. A stream holds no events of its own: it follows the history, and one that
 * falls behind the beginning of the history is cut.
 */
export class EventHub {
  readonly #run: string;
  readonly #limits: EventHubLimits;
  readonly #work: (work: Work<void>) => void | Promise<void>;
  readonly #history: EventHistory;
  readonly #streams = new Set<Stream>();
  /** When the next round is to begin, and what will begin it. */
  #due = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isSending = false;
  #hasEnded = false;
  #heartbeat: NodeJS.Timeout | undefined;
  #lastRound = Number.NEGATIVE_INFINITY;
  /** What has come since the last round began. */
  #unsentBytes = 0;

  /**
   * @param run tells the ids of events apart from those of another run of the process
   * @param work does long work, in turn with other work
   */
  constructor(
    run: string,
    limits: EventHubLimits,
    work: (work: Work<void>) => void | Promise<void>,
  ) {
    this.#run = run;
    this.#limits = limits;
    this.#work = work;
    this.#history = new EventHistory(1, limits.maxHistoryBytes);
  }

  /** How many streams are open. */
  get size(): number {
    return this.#streams.size;
  }

  /** The memory that the history holds, in bytes. */
  get bytes(): number {
    return this.#history.bytes;
  }

  /**
   * The content of a stream.
   * @param lastEventId the last event that the client has seen, if any
   * @throws Problem `overloaded`
   */
  open(lastEventId: string | undefined): Live {
    if (this.#streams.size >= this.#limits.maxStreams) {
      throw overloaded('Too many event streams are open');
    }
    return { open: (sink) => this.#add(sink, lastEventId) };
  }

  /** Sends the events of a commit. */
  publish(events: readonly ServerSentEvent[]): void {
    const id = byteString(`id: ${this.#idOf(this.#history.next)}\n`);
    const texts = events.map((event, i) => textOf(event, i === events.length - 1 ? id : NOTHING));
    const text = texts.reduce(joined, NOTHING);
    this.#history.append(text);
    this.#unsentBytes += text.length;
    this.#requestRound();
  }

  /** Tells all streams that what they know is void. */
  reset(): void {
    const number = this.#history.next;
    this.publish([{ event: 'reset', data: NO_DATA }]);
    this.#history.forgetBefore(number);
    for (const stream of this.#streams) stream.next = Math.max(stream.next, number);
  }

  /** Ends all streams, and those that are still to be opened as soon as they are ready. */
  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    for (const { sink } of this.#streams) sink.end();
  }

  #add(sink: Sink, lastEventId: string | undefined): void {
    const next = this.#history.next;
    const wanted = lastEventId === undefined ? next : this.#numberAfter(lastEventId);
    const isKnown = wanted !== undefined && this.#history.has(wanted);
    const stream = { sink, next: isKnown ? wanted : next };
    const id = byteString(`id: ${this.#idOf(stream.next - 1)}\n`);
    sink.write(joined(RETRY, textOf({ event: 'ready', data: NO_DATA }, id)));
    if (!isKnown) sink.write(textOf({ event: 'reset', data: NO_DATA }, id));
    if (this.#hasEnded) {
      sink.end();
      return;
    }
    this.#streams.add(stream);
    this.#heartbeat ??= setInterval(() => this.#do(this.#beat()), HEARTBEAT_MS).unref();
    sink.onDrain(() => this.#requestRound(stream.next !== this.#history.next));
    sink.onClose(() => this.#remove(stream));
    sink.onHalfClosed(() => this.#probe(stream));
    if (stream.next < next) this.#requestRound();
  }

  /** A first write makes the machine of a client that has gone say so, a second one hears it. */
  #probe(stream: Stream): void {
    stream.sink.write(HEARTBEAT);
    const again = () => {
      if (this.#streams.has(stream)) stream.sink.write(HEARTBEAT);
    };
    setTimeout(again, PROBE_MS).unref();
  }

  #remove(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /** A round comes soon, and at once where much is to be sent. */
  #requestRound(isUrgent = this.#unsentBytes > this.#limits.maxHistoryBytes / 4): void {
    if (this.#isSending || this.#streams.size === 0) return;
    const due = isUrgent ? 0 : this.#lastRound + ROUND_MS;
    if (due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => this.#round(), Math.max(0, due - performance.now())).unref();
  }

  async #round(): Promise<void> {
    this.#due = Number.POSITIVE_INFINITY;
    this.#isSending = true;
    this.#unsentBytes = 0;
    await this.#do(this.#sendAll(this.#history.next));
    this.#isSending = false;
    this.#lastRound = performance.now();
    for (const stream of this.#streams) if (this.#canTake(stream)) this.#requestRound();
  }

  /** Writes to all streams what came before a number. What they do not take now, they get later. */
  *#sendAll(end: number): Generator<void, void> {
    let sent = 0;
    let chunk = { from: Number.NaN, text: NOTHING, next: 0 };
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (const stream of [...this.#streams]) {
        const { sink, next: from } = stream;
        if (from >= end || !this.#canTake(stream)) continue;
        if (chunk.from !== from) chunk = { from, ...this.#history.from(from, CHUNK_BYTES) };
        stream.next = chunk.next;
        sink.write(chunk.text);
        if (stream.next < end && sink.isDrained) isDone = false;
        if (++sent % STREAMS_PER_STEP === 0) yield;
      }
    }
  }

  /** Whether a stream is to be written to. One that has missed something is cut. */
  #canTake({ sink, next }: Stream): boolean {
    if (next === this.#history.next) return false;
    if (this.#history.has(next)) return sink.isDrained;
    sink.cut();
    return false;
  }

  *#beat(): Generator<void, void> {
    let sent = 0;
    for (const { sink } of [...this.#streams]) {
      if (sink.isDrained) sink.write(HEARTBEAT);
      if (++sent % STREAMS_PER_STEP === 0) yield;
    }
  }

  /** Does work, unless there is too much of other work: then it is done another time. */
  async #do(work: Work<void>): Promise<void> {
    try {
      await this.#work(work);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  #idOf(number: number): string {
    return `${this.#run}.${number}`;
  }

  /** The number that comes after an id; undefined where the id is none of this run. */
  #numberAfter(id: string): number | undefined {
    const [run, number = ''] = id.split('.');
    return run === this.#run && /^\d{1,15}$/.test(number) ? Number(number) + 1 : undefined;
  }
}

const NOTHING = byteString('');

function textOf({ event, data }: ServerSentEvent, id: ByteString): ByteString {
  const head = byteString(`event: ${event}\ndata: `);
  return joined(joined(joined(head, data), byteString('\n')), joined(id, byteString('\n')));
}
