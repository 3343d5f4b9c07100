import { clock, type Timer } from '../../clock.ts';
import { type ByteString, byteString, joined } from '../../json/byte-string.ts';
import { overloaded, Problem } from '../core/problem.ts';
import type { StreamingContent, StreamWriter } from '../core/response.ts';
import type { Steps } from '../core/steps.ts';
import { type Again, CoalescedTask } from './coalesced-task.ts';
import { type EventBacklog, sendBacklog } from './event-backlog.ts';
import { type CommitEvents, EventHistory, textOfEvents } from './event-history.ts';
import { HEARTBEAT, RETRY, type ServerSentEvent, textOf } from './server-sent-event.ts';

/** Limits of a hub. */
export interface EventHubLimits {
  readonly maxStreams: number;
  /** The maximum memory for the history of events, in bytes. */
  readonly maxHistoryBytes: number;
}

/** How many streams to send the same in one step: some hundredths of a millisecond. */
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

/** A stream, and its position in the history. */
interface Stream {
  readonly writer: StreamWriter;
  position: number;
}

/**
 * Sends the events of commits to any number of streams, in order, and lets a stream that was
 * disconnected resume. A stream holds no events itself: it follows the history, and is disconnected
 * if it falls behind the beginning of the history. What precedes that may come from a backlog
 * first.
 */
export class EventHub {
  readonly #historyOf: (number: number) => string;
  readonly #limits: EventHubLimits;
  readonly #runSteps: (steps: Steps) => void | Promise<void>;
  #history: EventHistory;
  readonly #streams = new Set<Stream>();
  readonly #rounds = new CoalescedTask(() => this.#round());
  /** Streams that are being sent a backlog. */
  readonly #late = new Set<StreamWriter>();
  #hasEnded = false;
  #heartbeat: Timer | undefined;
  /** Bytes of the history used up since the last round began. */
  #unsentBytes = 0;

  /**
   * @param historyOf what distinguishes the commit with a number from others with the same number
   * @param runSteps runs steps in turn with others
   */
  constructor(
    historyOf: (number: number) => string,
    limits: EventHubLimits,
    runSteps: (steps: Steps) => void | Promise<void>,
  ) {
    this.#historyOf = historyOf;
    this.#limits = limits;
    this.#runSteps = runSteps;
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
   * @param backlog what the client has missed, if the history does not have it
   * @throws Problem `overloaded`
   */
  open(lastEventId: string | undefined, backlog?: EventBacklog): StreamingContent {
    if (this.size >= this.#limits.maxStreams) {
      throw overloaded('Too many event streams are open');
    }
    return { open: (writer) => this.#add(writer, lastEventId, backlog) };
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
    this.#unsentBytes += this.#history.append(commit, this.#idLineOf(commit.number));
    this.#requestRound();
  }

  /**
   * Sends `reset` to all streams: a commit, perhaps a former one, has replaced everything.
   */
  reset(number: number): void {
    // Their backlogs are from before the reset.
    for (const writer of this.#late) writer.disconnect();
    this.#late.clear();
    if (this.#streams.size === 0 || number <= this.last) {
      const beginning = this.#streams.size === 0 ? number : number - 1;
      this.#history = new EventHistory(beginning, this.#limits.maxHistoryBytes);
    }
    if (this.#streams.size === 0) return;
    this.#history.clear();
    for (const stream of this.#streams) stream.position = this.#history.end;
    this.publish({ number, batches: [{ events: () => [RESET], bytes: 0 }] });
  }

  /** Ends all streams. One that opens later ends right after `ready`. */
  end(): void {
    this.#hasEnded = true;
    this.#rounds.stop();
    this.endOpen();
  }

  /** Ends all streams that are open. */
  endOpen(): void {
    for (const { writer } of this.#streams) writer.end();
    for (const writer of this.#late) writer.end();
    this.#late.clear();
  }

  #add(
    writer: StreamWriter,
    lastEventId: string | undefined,
    backlog: EventBacklog | undefined,
  ): void {
    const { last } = this;
    const wanted = lastEventId === undefined ? last : this.numberOf(lastEventId);
    const isKept = wanted !== undefined && this.#history.hasAfter(wanted);
    const seen = isKept || backlog ? wanted : undefined;
    const id = this.#idLineOf(seen ?? last);
    // Without the reset, this id would skip what is missing, if the stream breaks off between them.
    writer.write(joined(RETRY, textOf(READY, seen === undefined ? NOTHING : id)));
    if (seen === undefined) writer.write(textOf(RESET, id));
    if (this.#hasEnded) writer.end();
    else if (isKept || !backlog || seen === undefined) this.#follow(writer, seen ?? last);
    else this.#sendBacklog(writer, backlog);
  }

  /** Lets a stream follow the history after a number. */
  #follow(writer: StreamWriter, number: number): void {
    const stream = { writer, position: this.#history.positionAfter(number) };
    this.#streams.add(stream);
    this.#heartbeat ??= clock.setInterval(() => this.#do(this.#beat()), HEARTBEAT_MS).unref();
    writer.onDrain(() => this.#requestRound(this.#isBehind(stream)));
    writer.onClose(() => this.#remove(stream));
    writer.onHalfClosed(() => this.#probe(stream));
    if (this.#isBehind(stream)) this.#requestRound();
  }

  #isBehind({ position }: Stream): boolean {
    return position < this.#history.end;
  }

  /** Sends a backlog, until the stream can follow the history. */
  async #sendBacklog(writer: StreamWriter, backlog: EventBacklog): Promise<void> {
    this.#late.add(writer);
    writer.onClose(() => this.#late.delete(writer));
    const last = await sendBacklog(writer, backlog, {
      toText: ({ number, batches }) =>
        joined(
          ...batches.map(({ events }, i) =>
            textOfEvents(events(), i === batches.length - 1 ? this.#idLineOf(number) : NOTHING),
          ),
        ),
      isEnough: (number) => this.#history.hasAfter(number),
      isOpen: () => this.#late.has(writer),
    });
    if (!this.#late.delete(writer)) return;
    if (last !== undefined) this.#follow(writer, last);
    // The client will reconnect, and learn whether it needs a reset.
    else writer.disconnect();
  }

  /**
   * If the client has gone, the first write makes its machine report that, and the second fails.
   */
  #probe(stream: Stream): void {
    if (this.#hasEnded) return;
    stream.writer.write(HEARTBEAT);
    const again = () => {
      if (this.#streams.has(stream) && !this.#hasEnded) stream.writer.write(HEARTBEAT);
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
    const { end } = this.#history;
    const isDone = await this.#do(this.#sendAll(end));
    // A stream may have drained during the round.
    const ready = [...this.#streams].filter((stream) => this.#canTake(stream));
    if (ready.length === 0) return 'if asked';
    const isBehind = isDone && ready.some(({ position }) => position < end);
    return isBehind || this.#isMuchUnsent ? 'at once' : 'later';
  }

  /** Writes everything before a position to all streams. One that is not drained gets it later. */
  *#sendAll(end: number): Generator<undefined, void> {
    let sent = 0;
    let from = Number.NaN;
    let chunk = { text: NOTHING, position: 0 };
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (const stream of [...this.#streams]) {
        const { writer, position } = stream;
        if (position >= end || !this.#canTake(stream)) continue;
        const isNew = from !== position;
        if (isNew) chunk = this.#history.read(position);
        from = position;
        stream.position = chunk.position;
        writer.write(chunk.text);
        if (stream.position < end && writer.isDrained) isDone = false;
        // To make a chunk takes some tenths of a millisecond.
        if (isNew || ++sent % STREAMS_PER_STEP === 0) yield;
      }
    }
  }

  /** Whether to write to a stream now. A stream that has missed events is disconnected. */
  #canTake(stream: Stream): boolean {
    if (!this.#isBehind(stream) || this.#hasEnded) return false;
    if (stream.position >= this.#history.start) return stream.writer.isDrained;
    stream.writer.disconnect();
    return false;
  }

  *#beat(): Generator<undefined, void> {
    let sent = 0;
    for (const { writer } of [...this.#streams]) {
      if (writer.isDrained && !this.#hasEnded) writer.write(HEARTBEAT);
      if (++sent % STREAMS_PER_STEP === 0) yield;
    }
  }

  /**
   * Runs steps; drops them if the service is overloaded, since they will be tried again.
   * @returns whether they were done
   */
  async #do(steps: Steps): Promise<boolean> {
    try {
      await this.#runSteps(steps);
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return false;
    }
  }

  /** A line with the id of the last event of a commit. */
  #idLineOf(number: number): ByteString {
    return byteString(`id: ${this.#historyOf(number)}.${number}\n`);
  }

  /** The number of the commit that an id names; undefined if there was no such commit. */
  numberOf(id: string): number | undefined {
    const [history, digits = ''] = id.split('.');
    const number = /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
    return number !== undefined && history === this.#historyOf(number) ? number : undefined;
  }
}
