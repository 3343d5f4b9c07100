import assert from 'node:assert/strict';
import type { ReplicaSettings } from '../../../../src/lib/replica/index.ts';
import { runToEnd } from '../../../../src/lib/steps.ts';
import { App } from '../../../../src/service/app.ts';
import { replicaStore } from '../../../../src/service/replicas/replica-store.ts';
import type { FieldValues } from '../../../../src/service/resource/field.ts';
import type { Items } from '../../../../src/service/store/items.ts';
import type { SharedStore } from '../../../../src/service/store/store.ts';
import type { Variant } from '../../../../src/service/todo/variant.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { Answer, type RequestOptions, Requests } from '../../../support/requests.ts';
import { configOf } from '../../../support/service.ts';
import { type Environment, Process } from '../environment/environment.ts';
import type { Link, Network } from '../network/network.ts';
import { Exchanges } from './exchange.ts';
import { SimulatedStream } from './stream.ts';

/** The maximum time between a client and a replica, in milliseconds. */
const LATENCY_MS = 0.5;

/** The time limit of a client for a response, in milliseconds. */
const PATIENCE_MS = 30_000;

/** A replica whose configuration differs from the default. */
export interface ReplicaOptions {
  readonly variant?: Variant;
  readonly seed?: readonly FieldValues[];
  readonly maxRows?: number;
  readonly isMaxRowsGiven?: boolean;
  readonly historyBytes?: number;
  readonly settings?: Partial<ReplicaSettings>;
  readonly user?: { readonly name: string; readonly password: string };
}

/** The connection to a replica broke, or there was none. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** A simulated replica: the real code from the routes down to the transport of its client. */
export class SimulatedReplica extends Requests {
  readonly name: string;
  readonly links: readonly Link[];
  readonly replica: SharedStore;
  readonly incompatibilities: string[] = [];
  /** The reasons why its store was unavailable, and undefined each time that it was back. */
  readonly availability: (string | undefined)[] = [];
  /** The number of restores of etcd that it has noticed. */
  restores = 0;
  /** What it has found out about endpoints of other clusters. */
  readonly otherClusters: string[] = [];
  readonly process: Process;
  readonly #environment: Environment;
  readonly #exchanges: Exchanges;
  readonly #pending = new Set<(error: Error) => void>();
  readonly #streams = new Set<SimulatedStream>();
  /** When it was last paused, in simulated time; since then, responses may be late. */
  disturbedAt = Number.NEGATIVE_INFINITY;

  constructor(network: Network, name: string, urls: readonly string[], options: ReplicaOptions) {
    super();
    const { environment } = network;
    const { variant = variantA, seed = [], maxRows = 1_000 } = options;
    const { fields } = variant;
    this.name = name;
    this.#environment = environment;
    this.process = new Process(name);
    const { links, connect } = network.linksOf(this.process, urls);
    this.links = links;
    const { exchanges, replica } = environment.within(this.process, () => {
      const openStore = (items: Items) =>
        replicaStore(
          {
            etcd: { endpoints: urls, connect, user: userOf(options) },
            prefix: '/test/',
            timeoutMs: 5_000,
            identity: {
              ...{ variant: variant.name, schema: fields, maxRows },
              isMaxRowsGiven: options.isMaxRowsGiven ?? false,
            },
            ...options.settings,
          },
          {
            onIncompatible: ({ message }) => this.incompatibilities.push(message),
            onUnavailable: (reason) => this.availability.push(reason),
            onRestored: () => this.restores++,
            onOtherCluster: (message) => this.otherClusters.push(message),
          },
          items,
          async (steps) => runToEnd(steps),
        );
      let replica: SharedStore | undefined;
      const app = new App(variant, {
        config: configOf({ ADMIN_TOKEN: 'token' }),
        seed,
        table: { maxRows },
        historyBytes: options.historyBytes ?? 256 * 1024,
        openStore: (items) => {
          replica = openStore(items);
          return replica;
        },
      });
      assert(replica);
      return { exchanges: new Exchanges(app.base), replica };
    });
    this.#exchanges = exchanges;
    this.replica = replica;
  }

  /** Sends a request. @throws NoAnswerError */
  override request(method: string, target: string, options: RequestOptions = {}): Promise<Answer> {
    return this.#ask(() => this.#exchanges.answer(method, target, options));
  }

  /** Resets the list to the seed, or to another one in JSON. */
  reset(body = ''): Promise<Answer> {
    return this.request('POST', '/admin/reset', { body });
  }

  /** Why it cannot serve; undefined if it can. */
  get notReadyReason(): string | undefined {
    return this.replica.notReadyProblem()?.message;
  }

  /** The value of one of its metrics. */
  metric(name: string): number {
    const lines = this.replica.metrics(true).join('').split('\n');
    return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
  }

  /** Opens an event stream; or the response, if it is another one. @throws NoAnswerError */
  stream(lastEventId?: string): Promise<SimulatedStream | Answer> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return this.#ask(async () => {
      const target = '/api/todos/events';
      const opened = await this.#exchanges.open(target, { headers });
      if (opened instanceof Answer) return opened;
      const stream = new SimulatedStream();
      this.#streams.add(stream);
      opened(stream);
      return stream;
    });
  }

  /** Its client closes a stream. */
  close(stream: SimulatedStream): void {
    this.#streams.delete(stream);
    const end = () => this.#environment.within(this.process, () => stream.end());
    this.#environment.afterIn(undefined, this.#latency(), end);
  }

  /** Ends at once, like a process that is killed. */
  kill(): void {
    this.#environment.kill(this.process);
    this.replica.close();
    for (const link of this.links) link.reset();
    for (const stream of this.#streams) stream.end();
    for (const fail of [...this.#pending]) fail(new NoAnswerError());
  }

  #ask<T>(work: () => Promise<T>): Promise<T> {
    const environment = this.#environment;
    return new Promise<T>((resolve, reject) => {
      const fail = (error: Error) => {
        this.#pending.delete(fail);
        environment.afterIn(undefined, this.#latency(), () => reject(error));
      };
      if (this.process.isDead) {
        fail(new NoAnswerError());
        return;
      }
      this.#pending.add(fail);
      environment.afterIn(undefined, PATIENCE_MS, () => fail(new NoAnswerError()));
      const respond = async () => {
        try {
          const result = await work();
          this.#pending.delete(fail);
          environment.afterIn(undefined, this.#latency(), () => resolve(result));
        } catch (error) {
          fail(error instanceof Error ? error : new Error(String(error)));
        }
      };
      environment.afterIn(this.process, this.#latency(), respond);
    });
  }

  #latency(): number {
    return this.#environment.upTo(LATENCY_MS);
  }
}

function userOf({ user }: ReplicaOptions) {
  return user && { name: user.name, password: () => user.password };
}
