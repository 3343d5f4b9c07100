import assert from 'node:assert/strict';
import { replicaMetrics } from '../../../../src/replicas/metrics.ts';
import type { ReplicaEvents, ReplicaSettings } from '../../../../src/replicas/replica/index.ts';
import { type ReplicaStore, replicaStore } from '../../../../src/replicas/replica-store.ts';
import { sharedRoutes } from '../../../../src/replicas/shared-routes.ts';
import { App } from '../../../../src/service/app.ts';
import type { Definition } from '../../../../src/service/resource/definition.ts';
import type { FieldValues } from '../../../../src/service/resource/field.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { type Answer, type RequestOptions, Requests } from '../../../support/requests.ts';
import { configOf } from '../../../support/service.ts';
import { type Environment, Process } from '../environment/environment.ts';
import type { Link, Network } from '../network/network.ts';
import { answerOf, respond } from './respond.ts';
import { SimulatedStream } from './stream.ts';

/** The maximum time between a client and a replica, in milliseconds. */
const LATENCY_MS = 0.5;

/** A replica whose configuration differs from the default. */
export interface ReplicaOptions {
  readonly variant?: Definition;
  readonly seed?: readonly FieldValues[];
  readonly maxRows?: number;
  readonly isMaxRowsGiven?: boolean;
  readonly historyBytes?: number;
  readonly timeoutMs?: number;
  /** Whether it treats the tokens of commits as 4.0 does. */
  readonly is4_0?: boolean;
  /** Absent for a replica without a user. */
  readonly password?: string | undefined;
}

/** The connection to a replica broke, or there was none. */
export class NoAnswerError extends Error {}

/** A simulated replica: the real code from the routes down to the transport of its client. */
export class SimulatedReplica extends Requests {
  readonly name: string;
  readonly links: readonly Link[];
  readonly replica: ReplicaStore;
  readonly incompatibilities: string[] = [];
  /** The reasons why its store was unavailable, and undefined each time that it was back. */
  readonly availability: (string | undefined)[] = [];
  /** The number of restores of etcd that it has noticed. */
  restores = 0;
  /** What it has found out about endpoints of other clusters. */
  readonly otherClusters: string[] = [];
  readonly process = new Process();
  readonly #environment: Environment;
  readonly #app: App;
  readonly #pending = new Set<(error: unknown) => void>();
  readonly #streams = new Set<SimulatedStream>();
  /** When it was last paused, in simulated time; since then, responses may be late. */
  disturbedAt = Number.NEGATIVE_INFINITY;

  constructor(network: Network, name: string, urls: readonly string[], options: ReplicaOptions) {
    super();
    const { environment } = network;
    const { variant = variantA, maxRows = 1_000, password, seed, historyBytes } = options;
    this.name = name;
    this.#environment = environment;
    const { links, connect } = network.linksOf(this.process, urls);
    this.links = links;
    const settings: ReplicaSettings = {
      etcd: {
        ...{ endpoints: urls, connect },
        ...(password && { user: { name: 'todo', password: () => password } }),
      },
      prefix: '/test/',
      timeoutMs: options.timeoutMs ?? 5_000,
      identity: {
        ...{ variant: variant.name, schema: variant.fields, maxRows },
        isMaxRowsGiven: options.isMaxRowsGiven ?? false,
      },
    };
    const events: ReplicaEvents = {
      onIncompatible: ({ message }) => this.incompatibilities.push(message),
      onUnavailable: (reason) => this.availability.push(reason),
      onRestored: () => this.restores++,
      onOtherCluster: (message) => this.otherClusters.push(message),
    };
    let store: ReplicaStore | undefined;
    const app = environment.within(
      this.process,
      () =>
        new App(variant, {
          config: configOf({ ADMIN_TOKEN: 'token' }),
          table: { maxRows },
          ...(seed && { seed }),
          ...(historyBytes && { historyBytes }),
          share: (lists, server) => {
            store = replicaStore(settings, events, lists);
            return sharedRoutes(store, server, variant.api.items);
          },
        }),
    );
    assert(store);
    this.replica = store;
    this.#app = app;
  }

  /** Sends a request. @throws NoAnswerError */
  override request(method: string, target: string, options: RequestOptions = {}): Promise<Answer> {
    return this.#ask(async () => answerOf(await respond(this.#app, method, target, options)));
  }

  /** Resets the list to the seed, or to another one in JSON. */
  reset(body = ''): Promise<Answer> {
    return this.request('POST', '/admin/reset', { body });
  }

  /** Sets its faults. */
  async setFaults(faults: readonly object[]): Promise<void> {
    const answer = await this.request('PUT', '/admin/faults', { body: JSON.stringify({ faults }) });
    assert.equal(answer.status, 200, answer.text);
  }

  /** Why it cannot serve; undefined if it can. */
  get notReadyReason(): string | undefined {
    return this.replica.problem?.message;
  }

  /** The value of one of its metrics. */
  metric(name: string): number {
    const lines = replicaMetrics(this.replica.stats, true).join('').split('\n');
    return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
  }

  /** Opens an event stream; or the response, if it is another one. @throws NoAnswerError */
  stream(lastEventId?: string): Promise<SimulatedStream | Answer> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return this.#ask(async () => {
      const response = await respond(this.#app, 'GET', '/api/todos/events', { headers });
      if (typeof response.content !== 'function') return answerOf(response);
      const stream = new SimulatedStream();
      this.#streams.add(stream);
      response.content(stream);
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
      const end = (settle: () => void) => {
        this.#pending.delete(fail);
        environment.afterIn(undefined, this.#latency(), settle);
      };
      const fail = (error: unknown) => end(() => reject(error));
      this.#pending.add(fail);
      if (this.process.isDead) fail(new NoAnswerError());
      const respond = () => work().then((result) => end(() => resolve(result)), fail);
      environment.afterIn(this.process, this.#latency(), respond);
    });
  }

  #latency(): number {
    return this.#environment.upTo(LATENCY_MS);
  }
}
