import { Environment, type Process } from '../environment/environment.ts';
import { SimulatedEtcd } from '../etcd/gateway.ts';
import { Network } from '../network/network.ts';
import { useTokensOf4_0 } from './old-tokens.ts';
import { type ReplicaOptions, SimulatedReplica } from './replica.ts';

/** The names of etcd's nodes. */
const NODES = ['http://n0', 'http://n1', 'http://n2'];

/** Replicas, the network and etcd in one environment. */
export class Simulation {
  readonly environment: Environment;
  readonly etcd = new SimulatedEtcd();
  readonly network: Network;
  readonly replicas: SimulatedReplica[] = [];
  readonly #old = new Set<Process>();
  readonly #restore: () => void;
  #started = 0;

  constructor(seed = 1) {
    this.environment = new Environment(seed);
    this.#restore = useTokensOf4_0(this.environment, (process) => this.#old.has(process));
    this.network = new Network(this.environment, this.etcd);
  }

  /** The simulated time, in milliseconds. */
  get now(): number {
    return this.environment.now;
  }

  /** Waits for a simulated time, in milliseconds. */
  sleep(ms: number): Promise<void> {
    return this.environment.sleep(ms);
  }

  /** Starts a replica. Each begins with another node of etcd. */
  start(options: ReplicaOptions = {}): SimulatedReplica {
    const index = this.#started++;
    const first = index % NODES.length;
    const urls = [...NODES.slice(first), ...NODES.slice(0, first)];
    const replica = new SimulatedReplica(this.network, `r${index}`, urls, options);
    if (options.is4_0) this.#old.add(replica.process);
    this.replicas.push(replica);
    return replica;
  }

  /** Waits until a condition holds. @throws Error if it does not within a time */
  async until(
    what: string,
    holds: () => boolean | Promise<boolean>,
    withinMs = 20_000,
  ): Promise<void> {
    const deadline = this.now + withinMs;
    while (!(await holds())) {
      if (this.now > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
      await this.sleep(10);
    }
  }

  /** Waits until all replicas are ready. */
  async ready(withinMs = 20_000): Promise<void> {
    await this.until(
      'all replicas are ready',
      () => this.replicas.every(({ notReadyReason }) => notReadyReason === undefined),
      withinMs,
    );
  }

  end(): void {
    this.environment.end();
    this.#restore();
  }
}
