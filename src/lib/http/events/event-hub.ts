import { clock, type Timer } from '../../clock.ts';
import { byteString, joined } from '../../json/index.ts';
import type { Steps } from '../../steps.ts';
import { overloaded, Problem } from '../core/problem.ts';
import { drainOf, type LiveContent, type StreamWriter } from '../core/response.ts';
import { type CommitEvents, type EventBacklog, EventHistory, textOf } from './event-history.ts';

/** Limits of a hub. */
export interface EventHubLimits {
  readonly maxStreams: number;
  /** The maximum memory for the history of events, in bytes. */
  readonly maxHistoryBytes: number;
}

/** The least time between two rounds that are not urgent, in milliseconds. */
const PAUSE_MS = 40;

/** How many streams to send the same in one step: some hundredths of a millisecond. */
const STREAMS_PER_STEP = 8;

/** The longest silence of a stream, in milliseconds. Proxies and clients wait longer. */
const HEARTBEAT_MS = 15_000;

/** How long a client's machine gets to report that the client has gone, in milliseconds. */
const PROBE_MS = 100;

/** A comment, which clients ignore. */
const HEARTBEAT = byteString(':\n\n');

/** Tells clients to wait for a second before they connect again. */
const RETRY = byteString('retry: 1000\n');

/** Browsers drop events without data. */
const NO_DATA = byteString('{}');

const READY = { event: byteString('ready'), data: NO_DATA };

/** Tells clients to fetch everything again. */
const RESET = { event: byteString('reset'), data: NO_DATA };

const NOTHING = byteString('');

/** A stream, and its position in the history: beyond its end while it is sent a backlog. */
interface Stream {
  readonly writer: StreamWriter;
  position: number;
}

/**
 * Sends the events of commits to any number of streams, in order. A stream holds no events itself:
 * it follows the history, perhaps after a backlog, or is disconnected if it falls behind it.
 */
export class EventHub {
  readonly history: EventHistory;
  readonly #limits: EventHubLimits;
  readonly #runSteps: (steps: Steps) => void | Promise<void>;
  readonly #streams = new Set<Stream>();
  readonly #opening = new Set<LiveContent>();
  #heartbeat: Timer | undefined;
  #nextRound: Timer | undefined;
  #isInRound = false;
  #lastRoundEnd = Number.NEGATIVE_INFINITY;
  /** How long after the last round the next one may begin; for ever, unless it is asked for. */
  #pauseMs = Number.POSITIVE_INFINITY;
  /** Whether there has been a stream. Until then nobody has an id to go on from. */
  hasBeenOpened = false;
  #hasEnded = false;
  /** Bytes of the history used up since the last round began. */
  #unsentBytes = 0;
  /** The end of the history when the last round began. */
  #offered = 0;

  /** @param historyOf what distinguishes a commit from others with the same number */
  constructor(
    historyOf: (number: number) => string,
    limits: EventHubLimits,
    runSteps: (steps: Steps) => void | Promise<void>,
  ) {
    this.history = new EventHistory(historyOf, limits.maxHistoryBytes);
    this.#limits = limits;
    this.#runSteps = runSteps;
  }

  /** How many streams are open. */
  get size(): number {
    return this.#streams.size;
  }

  /**
   * Makes the content of a stream, for a client that has seen an event, if any.
   * @param backlog what the client has missed, if the history does not have it
   * @param begins false for HEAD, which takes no place
   */
  open(lastEventId: string | undefined, backlog?: EventBacklog, begins = true): LiveContent {
    if (this.size + this.#opening.size >= this.#limits.maxStreams) {
      throw overloaded('Too many event streams are open');
    }
    this.hasBeenOpened = true;
    const content: LiveContent = (writer) => {
      this.#opening.delete(content);
      this.#add(writer, lastEventId, backlog);
    };
    // It begins in this turn, after others have been made, or never.
    if (begins) {
      this.#opening.add(content);
      clock.setImmediate(() => this.#opening.delete(content));
    }
    return content;
  }

  /** Sends the events of a commit, whose number is greater than that of the one before. */
  publish(commit: CommitEvents): void {
    this.#unsentBytes += this.history.append(commit);
    this.#requestRound();
  }

  /** Sends `reset` to all streams: a commit, perhaps a former one, has replaced everything. */
  reset(number: number): void {
    for (const stream of this.#streams) {
      // Its backlog is from before the reset.
      if (stream.position > this.history.end) this.#disconnect(stream);
    }
    const { size } = this;
    this.history.restart(size === 0 ? number : Math.min(this.history.last, number - 1));
    if (size === 0) return;
    for (const stream of this.#streams) stream.position = this.history.end;
    this.publish({ number, batches: [{ events: () => [RESET], bytes: 0 }] });
  }

  /** Ends all streams. One that opens later ends right after `ready`. */
  end(): void {
    this.#hasEnded = true;
    clock.clear(this.#nextRound);
    this.endOpen();
  }

  /** Ends the streams that are open now. */
  endOpen(): void {
    for (const stream of this.#streams) {
      this.#remove(stream);
      // Of one that is delivered slowly, the rest would come first.
      if (stream.writer.isDrained) stream.writer.end();
      else stream.writer.disconnect();
    }
  }

  #add(writer: StreamWriter, lastEventId?: string, backlog?: EventBacklog): void {
    const { last } = this.history;
    const wanted = lastEventId === undefined ? last : this.history.numberOf(lastEventId);
    const isKept = wanted !== undefined && this.history.hasAfter(wanted);
    const seen = isKept || backlog ? wanted : undefined;
    const id = this.history.idLineOf(seen ?? last);
    // Without the reset, this id would skip what is missing, if the stream breaks off between them.
    writer.write(joined(RETRY, textOf(READY, seen === undefined ? NOTHING : id)));
    if (seen === undefined) writer.write(textOf(RESET, id));
    if (this.#hasEnded) {
      writer.end();
      return;
    }
    const stream: Stream = { writer, position: Number.POSITIVE_INFINITY };
    this.#streams.add(stream);
    this.#heartbeat ??= clock.setInterval(() => this.#do(this.#beat()), HEARTBEAT_MS).unref();
    writer.on('close', () => this.#remove(stream));
    writer.on('end', () => this.#probe(stream));
    if (isKept || !backlog || seen === undefined) this.#follow(stream, seen ?? last);
    // Nobody waits for it: it ends the stream itself if it fails.
    else void this.#sendBacklog(stream, backlog);
  }

  #follow(stream: Stream, number: number): void {
    stream.position = this.history.positionAfter(number);
    const goOn = () => {
      if (stream.position < this.history.end) this.#requestRound(stream.position < this.#offered);
    };
    stream.writer.on('drain', goOn);
    goOn();
  }

  /** Sends a backlog as fast as the client reads it, until the stream can follow the history. */
  async #sendBacklog(stream: Stream, backlog: EventBacklog): Promise<void> {
    const { writer } = stream;
    const drained = drainOf(writer);
    try {
      for await (const commits of backlog) {
        if (!this.#streams.has(stream)) return;
        writer.write(joined(...commits.map((commit) => this.history.textOf(commit))));
        const { number = 0 } = commits.at(-1) ?? {};
        if (this.history.hasAfter(number)) {
          this.#follow(stream, number);
          return;
        }
        await drained();
        if (!this.#streams.has(stream)) return;
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
    // The client will reconnect, and learn whether it needs a reset.
    this.#disconnect(stream);
  }

  /** If the client has gone, the first write lets its machine report that, and the second fails. */
  #probe(stream: Stream): void {
    const write = () => {
      if (this.#streams.has(stream)) stream.writer.write(HEARTBEAT);
    };
    write();
    clock.setTimeout(write, PROBE_MS).unref();
  }

  #disconnect(stream: Stream): void {
    this.#remove(stream);
    stream.writer.disconnect();
  }

  #remove(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clock.clear(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /** Asks for a round: soon, or at once if much is unsent or a stream waits for what others got. */
  #requestRound(isUrgent = false): void {
    const isMuch = this.#unsentBytes > this.#limits.maxHistoryBytes / 4;
    const pauseMs = isUrgent || isMuch ? 0 : PAUSE_MS;
    if (this.#streams.size === 0 || pauseMs >= this.#pauseMs) return;
    this.#pauseMs = pauseMs;
    if (!this.#isInRound) this.#scheduleRound();
  }

  #scheduleRound(): void {
    clock.clear(this.#nextRound);
    const ms = Math.max(0, this.#lastRoundEnd + this.#pauseMs - clock.now());
    this.#nextRound = clock.setTimeout(this.#round, ms).unref();
  }

  /** One at a time, so that what comes in between is sent together. */
  readonly #round = async (): Promise<void> => {
    this.#pauseMs = Number.POSITIVE_INFINITY;
    this.#isInRound = true;
    this.#unsentBytes = 0;
    this.#offered = this.history.end;
    if (!(await this.#do(this.#sendAll()))) this.#requestRound();
    this.#isInRound = false;
    this.#lastRoundEnd = clock.now();
    if (this.#pauseMs < Number.POSITIVE_INFINITY) this.#scheduleRound();
  };

  /** Writes a chunk to each stream that is behind, and drained. Others get it when they drain. */
  *#sendAll(): Generator<undefined, void> {
    let sent = 0;
    let from = Number.NaN;
    let chunk = { text: NOTHING, position: 0 };
    for (const stream of this.#streams) {
      const { writer, position } = stream;
      const hasMissed = position < this.history.start;
      if (hasMissed) this.#disconnect(stream);
      if (hasMissed || position >= this.#offered || !writer.isDrained) continue;
      const isNew = from !== position;
      if (isNew) chunk = this.history.read(position);
      from = position;
      stream.position = chunk.position;
      writer.write(chunk.text);
      if (writer.isDrained && chunk.position < this.#offered) this.#requestRound(true);
      // To make a chunk takes some tenths of a millisecond.
      if (isNew || ++sent % STREAMS_PER_STEP === 0) yield;
    }
  }

  *#beat(): Generator<undefined, void> {
    let sent = 0;
    for (const { writer } of this.#streams) {
      if (writer.isDrained) writer.write(HEARTBEAT);
      if (++sent % STREAMS_PER_STEP === 0) yield;
    }
  }

  /** Runs steps, unless the service is overloaded. @returns whether they were done */
  async #do(steps: Steps): Promise<boolean> {
    try {
      await this.#runSteps(steps);
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return false;
    }
  }
}
