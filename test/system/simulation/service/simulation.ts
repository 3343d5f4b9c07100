import { SimulatedEtcd } from '../etcd/gateway.ts';
import { Network } from '../network/network.ts';
import { World } from '../world/world.ts';
import { type ReplicaOptions, SimulatedReplica } from './replica.ts';

/** The names of etcd's nodes. */
const NODES = ['http://n0', 'http://n1', 'http://n2'];

/** Replicas, the network and etcd in a world of their own. */
export class Simulation {
  readonly world: World;
  readonly etcd = new SimulatedEtcd();
  readonly network: Network;
  readonly replicas: SimulatedReplica[] = [];
  #started = 0;

  constructor(seed = 1) {
    this.world = new World(seed);
    this.network = new Network(this.world, this.etcd);
  }

  /** Starts a replica. Each begins with another node of etcd. */
  start(options: ReplicaOptions = {}): SimulatedReplica {
    const index = this.#started++;
    const first = index % NODES.length;
    const urls = [...NODES.slice(first), ...NODES.slice(0, first)];
    const replica = new SimulatedReplica(this.network, `r${index}`, urls, options);
    this.replicas.push(replica);
    return replica;
  }

  /** Waits until a condition holds. @throws Error if it does not within a time */
  async until(
    what: string,
    holds: () => boolean | Promise<boolean>,
    withinMs = 20_000,
  ): Promise<void> {
    const deadline = this.world.now + withinMs;
    while (!(await holds())) {
      if (this.world.now > deadline) throw new Error(`it is never so that ${what}`);
      await this.world.sleep(10);
    }
  }

  /** Waits until all replicas are ready. */
  async ready(withinMs = 20_000): Promise<void> {
    await this.until(
      'all replicas are ready',
      () => this.replicas.every(({ replica }) => replica.notReadyProblem() === undefined),
      withinMs,
    );
  }

  end(): void {
    this.world.end();
  }
}
