import { EtcdError } from '../../../../src/replicas/replica/etcd/etcd-error.ts';
import type { Connect, Transport } from '../../../../src/replicas/replica/etcd/transport.ts';
import type { Environment, Process } from '../environment/environment.ts';
import { type Reply, SimulatedEtcd } from '../etcd/gateway.ts';
import { GARBAGE, type NetworkFaults, NO_FAULTS } from './network-faults.ts';
import { ResponseStream } from './response-stream.ts';

/** The state of the network between a replica and a node of etcd. */
export type Reach =
  | 'open'
  /** Nothing arrives and nothing breaks, as if it were paused or cut off. */
  | 'silent'
  /** Connections break, and new ones are refused. */
  | 'refused';

/** The code of the error of a refused connection. */
const REFUSED = 'ECONNREFUSED';

/** One replica's way to one node. */
export class Link {
  readonly url: string;
  faults: NetworkFaults = NO_FAULTS;
  reach: Reach = 'open';
  /** Ends the exchanges that are open. */
  readonly open = new Set<SimulatedExchange>();
  /** Messages that wait until the link is open again, with the process that receives them. */
  readonly waiting: { readonly run: () => void; readonly process: Process | undefined }[] = [];
  /** Called with each request when it is sent; may decide its outcome. */
  intercept: ((path: string, body: string) => RequestOutcome | undefined) | undefined;

  constructor(url: string) {
    this.url = url;
  }

  /** Breaks its connections. */
  reset(): void {
    for (const exchange of this.open) exchange.reset();
  }

  /** Breaks the connections of watches. */
  resetWatches(): void {
    for (const exchange of this.open) if (exchange.isWatch) exchange.reset();
  }
}

/** A response; or none, or a broken connection. */
type ResponseOutcome = Reply | 'none' | 'reset';

/** The outcome of one request, if a test decides it. */
export interface RequestOutcome {
  /** When copies arrive at etcd, in milliseconds from now; the first one is answered. */
  readonly arrivals?: readonly number[];
  /** Which copy's response comes back; the last one, by default. */
  readonly answered?: number;
  /** By default, etcd's own. */
  readonly response?: ResponseOutcome;
  /** The delay of a response that etcd did not make, in milliseconds. */
  readonly delayMs?: number;
}

/** The network between replicas and the nodes of etcd. */
export class Network {
  readonly environment: Environment;
  readonly etcd: SimulatedEtcd;
  readonly links: Link[] = [];
  /** The nodes that are clusters of their own, by URL. */
  readonly separated = new Map<string, SimulatedEtcd>();
  /** The number of times that all connections have broken. */
  breaks = 0;

  constructor(environment: Environment, etcd: SimulatedEtcd) {
    this.environment = environment;
    this.etcd = etcd;
  }

  /**
   * Makes the links of a replica, one for each of its endpoints.
   * @returns the links, and a function that connects the replica through them
   */
  linksOf(process: Process, urls: readonly string[]): { links: readonly Link[]; connect: Connect } {
    const links = new Map(urls.map((url) => [url, new Link(url)]));
    this.links.push(...links.values());
    const connect: Connect = (url): Transport => {
      const link = links.get(url);
      if (link === undefined) throw new TypeError(`nobody has ${url}`);
      return {
        post: (path, body, signal, token) => {
          const exchange = new SimulatedExchange(this, link, process);
          signal.addEventListener('abort', () => exchange.abort(String(signal.reason)));
          if (signal.aborted) exchange.abort(String(signal.reason));
          else exchange.send(path, body, token);
          return exchange.response;
        },
        close: () => {},
      };
    };
    return { links: [...links.values()], connect };
  }

  /** Changes the state of links. */
  set(links: readonly Link[], reach: Reach): void {
    for (const link of links) {
      link.reach = reach;
      if (reach === 'refused') link.reset();
      if (reach !== 'open') continue;
      for (const { run, process } of link.waiting.splice(0)) {
        this.environment.afterIn(process, 0, run);
      }
    }
  }

  /** A node comes back as a cluster of its own, without data; or as what it was. */
  separate(url: string, isSeparate: boolean): void {
    for (const link of this.links) if (link.url === url) link.reset();
    if (isSeparate) this.separated.set(url, new SimulatedEtcd('9'));
    else this.separated.delete(url);
  }

  /** All connections break, and all messages on their way get lost, as when all nodes stop. */
  breakAll(): void {
    this.breaks++;
    this.set(this.links, 'refused');
    this.set(this.links, 'open');
  }

  /** Ends all faults. */
  heal(): void {
    for (const link of this.links) {
      link.faults = NO_FAULTS;
      link.intercept = undefined;
    }
    for (const url of this.separated.keys()) this.separate(url, false);
    this.set(this.links, 'open');
  }
}

/** A request on its way to etcd, and its response. */
class SimulatedExchange {
  readonly response: Promise<ResponseStream>;
  readonly #network: Network;
  readonly #environment: Environment;
  readonly #link: Link;
  readonly #process: Process;
  readonly #breaks: number;
  #resolve: (response: ResponseStream) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #stream: ResponseStream | undefined;
  #isOver = false;
  /** When the last piece arrives: pieces do not overtake each other. */
  #lastAt = 0;
  #hasStalled = false;
  /** Pieces that have arrived, and are passed on as one. */
  readonly #joined: Uint8Array[] = [];
  #endWatch: (() => void) | undefined;

  constructor(network: Network, link: Link, process: Process) {
    this.#network = network;
    this.#environment = network.environment;
    this.#link = link;
    this.#process = process;
    this.#breaks = network.breaks;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.response.catch(() => {});
    link.open.add(this);
  }

  send(path: string, body: string, token: string | undefined): void {
    const { reach, faults, intercept } = this.#link;
    if (reach === 'refused') {
      this.#later(() => this.#breakOff(`connect ${REFUSED}`));
      return;
    }
    const outcome = intercept?.(path, body) ?? this.#outcomeBy(faults);
    const { arrivals = [0], answered = arrivals.length - 1, response, delayMs = 0 } = outcome;
    for (const [index, ms] of arrivals.entries()) {
      const answer = (reply: ResponseOutcome) => {
        if (index === answered) this.#answer(response ?? reply);
      };
      const isWatch = path === '/v3/watch';
      const arrive = () => {
        if (this.#breaks !== this.#network.breaks) return;
        if (this.#link.reach === 'refused') answer('reset');
        else if (!isWatch) answer(this.#etcd.handle(path, body, token));
        else if (index === answered && response === undefined) answer(this.#watch(body, token));
        else answer('none');
      };
      this.#after(ms + this.#latency(), arrive, undefined);
    }
    if (arrivals.length === 0) {
      this.#after(delayMs, () => this.#answer(response ?? 'none'), this.#process);
    }
  }

  get isWatch(): boolean {
    return this.#endWatch !== undefined;
  }

  abort(reason: string): void {
    // The node learns of it later.
    const end = this.#endWatch;
    if (end !== undefined) this.#environment.afterIn(undefined, this.#latency(), end);
    this.#breakOff(reason);
  }

  /** The connection breaks. */
  reset(): void {
    this.#endWatch?.();
    this.#environment.afterIn(this.#process, 0, () => this.#breakOff('read ECONNRESET'));
  }

  /** Fails the response, or the rest of it. */
  #breakOff(reason: string): void {
    this.#isOver = true;
    this.#link.open.delete(this);
    const { url } = this.#link;
    const outcome = reason.endsWith(REFUSED) ? 'unreachable' : 'unknown';
    this.#reject(new EtcdError(outcome, `${url}: ${reason}`));
    this.#stream?.end(new EtcdError('unknown', `${url}: ${reason}`));
  }

  #outcomeBy(faults: NetworkFaults): RequestOutcome {
    const environment = this.#environment;
    if (environment.chance(faults.losesRequest)) return { arrivals: [], response: 'reset' };
    const isTwice = environment.chance(faults.twice);
    const arrivals = isTwice ? [0, environment.upTo(faults.twiceMs)] : [0];
    const answered = environment.random.below(arrivals.length);
    if (environment.chance(faults.garbles)) {
      const response = environment.random.pick(GARBAGE);
      return environment.chance(0.3)
        ? { arrivals: [], response }
        : { arrivals, answered, response };
    }
    const isLost = environment.chance(faults.losesResponse);
    return { arrivals, answered, ...(isLost && { response: 'reset' }) };
  }

  get #etcd(): SimulatedEtcd {
    return this.#network.separated.get(this.#link.url) ?? this.#network.etcd;
  }

  #watch(body: string, token: string | undefined): ResponseOutcome {
    const isHidden = this.#environment.chance(this.#link.faults.hidesWatch);
    const send = (line: string) => {
      this.#later(() => this.#begin(200));
      if (!isHidden) this.#pieces(line);
    };
    const watch = this.#etcd.watch(body, send, token);
    if (typeof watch === 'object') return watch;
    if (this.#isOver) watch();
    else this.#endWatch = watch;
    return 'none';
  }

  #answer(response: ResponseOutcome): void {
    if (response === 'reset') this.reset();
    if (typeof response !== 'object') return;
    this.#later(() => {
      this.#begin(response.status);
      this.#pieces(response.body);
      this.#later(() => {
        if (this.#hasStalled) return;
        this.#passOn();
        this.#stream?.end();
        this.#link.open.delete(this);
      });
    });
  }

  /** The head of the response has arrived. */
  #begin(status: number): void {
    if (this.#isOver || this.#stream !== undefined) return;
    this.#stream = new ResponseStream(status);
    this.#resolve(this.#stream);
  }

  /** Lets a text arrive, in one or several pieces, unless it stalls before. */
  #pieces(text: string): void {
    if (this.#hasStalled) return;
    const environment = this.#environment;
    const { stalls, splits } = this.#link.faults;
    const bytes = Buffer.from(text, 'latin1');
    this.#hasStalled = environment.chance(stalls);
    const end = this.#hasStalled ? environment.random.below(bytes.length + 1) : bytes.length;
    let from = 0;
    while (from < end) {
      const to = environment.chance(splits) ? from + 1 + environment.random.below(end - from) : end;
      const piece = bytes.subarray(from, to);
      this.#later(() => this.#join(piece));
      from = to;
    }
    if (this.#hasStalled && environment.chance(0.3)) this.reset();
  }

  /** Passes a piece on, perhaps later, together with the pieces that follow until then. */
  #join(piece: Uint8Array): void {
    const { joins, joinMs } = this.#link.faults;
    this.#joined.push(piece);
    if (this.#joined.length > 1) return;
    if (!this.#environment.chance(joins)) this.#passOn();
    else this.#after(joinMs, () => this.#passOn(), this.#process);
  }

  #passOn(): void {
    const pieces = this.#joined.splice(0);
    if (pieces.length > 0) this.#stream?.push(Buffer.concat(pieces));
  }

  /** Lets something arrive at the replica, in order. */
  #later(run: () => void): void {
    const at = Math.max(this.#lastAt, this.#environment.now + this.#latency());
    this.#lastAt = at;
    this.#after(at - this.#environment.now, run, this.#process);
  }

  /** Lets something happen, when the link is not silent. */
  #after(ms: number, run: () => void, process: Process | undefined): void {
    const happen = () => {
      if (this.#link.reach === 'silent') this.#link.waiting.push({ run, process });
      else run();
    };
    this.#environment.afterIn(process, ms, happen);
  }

  #latency(): number {
    const { latencyMs, slow, slowMs } = this.#link.faults;
    return this.#environment.upTo(this.#environment.chance(slow) ? slowMs : latencyMs);
  }
}
