import { clock, nextTurn, type Timer } from '../../clock.ts';
import { byteString, concatBytes } from '../../json/index.ts';
import { overloaded } from '../messages/problem.ts';
import type { StreamedContent, StreamWriter } from '../messages/response.ts';
import { type CommitEvents, EventHistory, encodeEvent, NOTHING } from './event-history.ts';

/** Limits of a hub. */
export interface EventHubLimits {
  /** Whether no more streams may open, of this hub and of others that share the limit. */
  readonly isFull: () => boolean;
  /** The maximum memory for the history of events, in bytes. */
  readonly maxHistoryBytes: number;
  /** Event: a stream is sent `reset` because it lacks events. */
  readonly onStreamReset: () => void;
}

/** How long events wait for more, so that they are sent together, in milliseconds. */
const DELAY_MS = 40;

/** The maximum number of streams that are sent the same chunk in one turn of the event loop. */
const STREAMS_PER_TURN = 100;

/** The longest silence of a stream, in milliseconds. Proxies and clients wait longer. */
const HEARTBEAT_MS = 15_000;

/** Makes clients wait for a second before they connect again. */
const RETRY = byteString('retry: 1000\n');

/** Browsers drop events without data. */
const NO_DATA = byteString('{}');

const READY = { event: byteString('ready'), data: NO_DATA };

/** Shows clients that the stream is alive. Not a comment, because `EventSource` hides comments. */
const PING = encodeEvent({ event: byteString('ping'), data: NO_DATA }, NOTHING);

/** Makes clients fetch everything again. */
const RESET = { event: byteString('reset'), data: NO_DATA };

/** A stream, and its position in the history. */
interface Stream {
  readonly writer: StreamWriter;
  position: number;
}

/**
 * Sends the events of commits to any number of streams, in order. A stream holds no events. It
 * follows the history, and is sent `reset` when the history has dropped events that it lacks.
 */
export class EventHub {
  readonly history: EventHistory;
  readonly #limits: EventHubLimits;
  readonly #streams = new Set<Stream>();
  #heartbeat: Timer | undefined;
  /** Set while events wait to be sent. */
  #sending: Timer | undefined;
  /** Whether events are being sent, which takes a turn of the event loop for each hundred streams. */
  #isSending = false;
  /** Whether more are to be sent when that has ended. */
  #mustSendMore = false;
  /** Whether the waiting events are sent in the next turn, not after `DELAY_MS`. */
  #isUrgent = false;
  /** The bytes of events published since the last chunk was built. */
  #unsentBytes = 0;
  /** Whether there has been a stream. Before that, no client has an event id to resume from. */
  hasBeenOpened = false;
  #hasEnded = false;

  /** @param listId distinguishes commits of different lists that have the same number */
  constructor(listId: () => string, limits: EventHubLimits) {
    this.history = new EventHistory(listId, limits.maxHistoryBytes);
    this.#limits = limits;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /**
   * Creates the content of a stream. @throws Problem `overloaded`
   * @param lastEventId the last event that the client has seen, if any
   */
  open(lastEventId: string | undefined): StreamedContent {
    if (this.#limits.isFull()) throw overloaded('streams', 'Too many event streams are open');
    this.hasBeenOpened = true;
    return (writer) => this.#add(writer, lastEventId);
  }

  /** Sends the events of a commit. Numbers of commits must increase. */
  publish(commit: CommitEvents): void {
    this.#unsentBytes += this.history.append(commit);
    // Urgent before the history drops events that streams have not been sent.
    this.#schedule(this.#unsentBytes > this.#limits.maxHistoryBytes / 4);
  }

  /** Sends `reset` to all streams. @param number the commit that replaced the items */
  reset(number: number): void {
    if (this.size === 0) {
      this.history.restart(number);
      return;
    }
    // Numbers must increase, and after a restore `lastCommit` may be higher than this one.
    this.history.restart(Math.min(this.history.lastCommit, number - 1));
    for (const stream of this.#streams) stream.position = this.history.end;
    this.publish({ number, batches: [{ events: () => [RESET], bytes: 0 }] });
  }

  /** Ends all streams. One that opens later ends right after `ready`. */
  end(): void {
    this.#hasEnded = true;
    clock.clear(this.#sending);
    this.endStreams();
  }

  /** Ends the streams that are open now. */
  endStreams(): void {
    for (const stream of this.#streams) this.#finish(stream);
  }

  #finish(stream: Stream): void {
    this.#remove(stream);
    stream.writer.end();
  }

  #add(writer: StreamWriter, lastEventId?: string): void {
    const { lastCommit } = this.history;
    const known = lastEventId === undefined ? lastCommit : this.history.numberOf(lastEventId);
    const seen = known !== undefined && this.history.canResumeAfter(known) ? known : undefined;
    const id = this.history.idLineOf(seen ?? lastCommit);
    // A `ready` before a `reset` has no id, because a client that resumed there would skip events.
    writer.write(concatBytes(RETRY, encodeEvent(READY, seen === undefined ? NOTHING : id)));
    if (seen === undefined) writer.write(encodeEvent(RESET, id));
    // Several streams may have been created before the first of them begins.
    if (this.#hasEnded || this.#limits.isFull()) {
      writer.end();
      return;
    }
    const stream: Stream = { writer, position: this.history.positionAfter(seen ?? lastCommit) };
    this.#streams.add(stream);
    this.#heartbeat ??= clock.setInterval(this.#beat, HEARTBEAT_MS).unref();
    writer.on('drain', () => this.#scheduleRest(stream));
    writer.on('close', () => this.#remove(stream));
    // A client that ends its side has most probably gone.
    writer.on('end', () => this.#finish(stream));
    this.#scheduleRest(stream);
  }

  #remove(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clock.clear(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /** Continues a stream that has not been sent everything, when its client reads. */
  #scheduleRest({ writer, position }: Stream): void {
    if (writer.isDrained && position < this.history.end) this.#schedule(true);
  }

  #schedule(isUrgent: boolean): void {
    const isSoonEnough = this.#sending !== undefined && (this.#isUrgent || !isUrgent);
    if (this.size === 0 || isSoonEnough) return;
    clock.clear(this.#sending);
    this.#isUrgent = isUrgent;
    this.#sending = clock.setTimeout(() => this.#send(), isUrgent ? 0 : DELAY_MS).unref();
  }

  /** Sends the waiting events. Two at once would send to twice as many streams in a turn. */
  async #send(): Promise<void> {
    this.#sending = undefined;
    this.#unsentBytes = 0;
    if (this.#isSending) {
      this.#mustSendMore = true;
      return;
    }
    this.#isSending = true;
    do {
      this.#mustSendMore = false;
      await this.#sendChunks();
    } while (this.#mustSendMore);
    this.#isSending = false;
  }

  /** Sends a chunk to each stream that is behind and whose client reads. */
  async #sendChunks(): Promise<void> {
    let chunkStart = Number.NaN;
    let chunk = { text: NOTHING, position: 0 };
    let sent = 0;
    for (const stream of this.#streams) {
      const { writer, position } = stream;
      if (position === this.history.end || !writer.isDrained) continue;
      if (position < this.history.start) {
        this.#resetStream(stream);
        continue;
      }
      const isNew = position !== chunkStart;
      if (isNew) chunk = this.history.read(position);
      chunkStart = position;
      stream.position = chunk.position;
      writer.write(chunk.text);
      this.#scheduleRest(stream);
      // Yield, because building a chunk takes tenths of a millisecond.
      if (isNew || ++sent % STREAMS_PER_TURN === 0) await nextTurn();
    }
  }

  /** Continues a stream that lacks events after the last commit, which its client fetches. */
  #resetStream(stream: Stream): void {
    const { end, lastCommit } = this.history;
    stream.position = end;
    stream.writer.write(encodeEvent(RESET, this.history.idLineOf(lastCommit)));
    this.#limits.onStreamReset();
  }

  readonly #beat = async (): Promise<void> => {
    let sent = 0;
    for (const { writer } of this.#streams) {
      if (writer.isDrained) writer.write(PING);
      if (++sent % STREAMS_PER_TURN === 0) await nextTurn();
    }
  };
}
