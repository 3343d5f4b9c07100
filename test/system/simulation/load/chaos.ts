import type { Link } from '../network/network.ts';
import { FAULT_MIXES, type NetworkFaults, NO_FAULTS } from '../network/network-faults.ts';
import type { ReplicaOptions, SimulatedReplica } from '../service/replica.ts';
import type { Simulation } from '../service/simulation.ts';
import type { Recorder } from './recorder.ts';
import type { Truth } from './truth.ts';

/** What may go wrong. */
export interface Dangers {
  /** etcd is full, or takes a permission away, for a while. */
  readonly refuses: boolean;
  /** Replicas are killed, paused and started. */
  readonly restarts: boolean;
  /** etcd is restored from a backup. */
  readonly restores: boolean;
  /** Watches lose events, and get some twice. */
  readonly loses: boolean;
  /** The options of the replicas that are started. */
  readonly optionsOf: (index: number) => ReplicaOptions;
}

/** The longest time between two faults, and of most of them, in milliseconds. */
const PAUSE_MS = 2_000;
const FAULT_MS = 4_000;

/** Lets things go wrong. */
export class Chaos {
  readonly #simulation: Simulation;
  readonly #truth: Truth;
  readonly #recorder: Recorder;
  readonly #dangers: Dangers;
  #started: number;

  constructor(simulation: Simulation, truth: Truth, recorder: Recorder, dangers: Dangers) {
    this.#simulation = simulation;
    this.#truth = truth;
    this.#recorder = recorder;
    this.#dangers = dangers;
    this.#started = simulation.replicas.length;
  }

  async run(isOver: () => boolean): Promise<void> {
    const { world } = this.#simulation;
    while (!isOver()) {
      await world.sleep(world.upTo(PAUSE_MS));
      if (!isOver()) this.#fault();
    }
  }

  /** Ends all faults, except that what is on its way still arrives. */
  heal(): void {
    const { etcd, network, world, replicas } = this.#simulation;
    etcd.isFull = false;
    etcd.deniesPermission = false;
    etcd.split = (events) => [events];
    network.heal();
    for (const { process } of replicas) world.resume(process);
  }

  #fault(): void {
    const { world, network, etcd } = this.#simulation;
    const { refuses, restarts, restores, loses } = this.#dangers;
    const faults: readonly (readonly [weight: number, happen: () => void])[] = [
      [40, () => this.#changeFaults()],
      [15, () => this.#reach(network.links.filter(() => world.chance(0.4)))],
      [5, () => this.#reach(network.links)],
      [8, () => this.#breakWatches()],
      [8, () => etcd.store.compact(etcd.store.revision - world.random.below(3))],
      [4, () => (etcd.token = `t${world.random.below(1_000)}`)],
      [4, () => etcd.write([{ put: 'other', value: `${world.now}` }])],
      [refuses ? 15 : 0, () => this.#refuse()],
      [restarts ? 12 : 0, () => this.#disturb()],
      [restores ? 15 : 0, () => this.#restore()],
      [loses ? 20 : 0, () => this.#loseEvents()],
    ];
    let choice = world.upTo(faults.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, happen] of faults) {
      choice -= weight;
      if (choice >= 0) continue;
      happen();
      return;
    }
  }

  #changeFaults(): void {
    for (const link of this.#simulation.network.links) link.faults = this.#chosenFaults();
  }

  /** As etcd 3.4 has done: an event is lost, or comes again. */
  #loseEvents(): void {
    const { world, etcd } = this.#simulation;
    etcd.split = (events) => {
      if (world.chance(0.9)) return [events];
      return world.chance(0.5) ? [events.slice(1)] : [events.slice(0, 1), events];
    };
    world.after(world.upTo(FAULT_MS), () => {
      etcd.split = (events) => [events];
    });
  }

  /** If etcd refuses a request and later does a copy of it, nobody can know that in between. */
  #chosenFaults(): NetworkFaults {
    const { world } = this.#simulation;
    const faults = world.chance(0.4) ? NO_FAULTS : world.random.pick(FAULT_MIXES);
    return this.#dangers.refuses ? { ...faults, twice: 0 } : faults;
  }

  #reach(links: readonly Link[]): void {
    const { world, network } = this.#simulation;
    const reach = world.chance(0.5) ? 'silent' : 'refused';
    for (const link of links) network.set(link, reach);
    world.after(world.upTo(FAULT_MS), () => {
      for (const link of links) network.set(link, 'open');
    });
  }

  #breakWatches(): void {
    for (const { open } of this.#simulation.network.links) for (const each of open) each.reset();
  }

  #refuse(): void {
    const { world, etcd } = this.#simulation;
    const isFull = world.chance(0.5);
    etcd.isFull = isFull;
    etcd.deniesPermission = !isFull;
    world.after(world.upTo(FAULT_MS), () => {
      etcd.isFull = false;
      etcd.deniesPermission = false;
    });
  }

  #disturb(): void {
    const { world, replicas } = this.#simulation;
    const replica = world.pick(replicas);
    if (replica === undefined) return;
    if (world.chance(0.5)) this.#pause(replica);
    else {
      replica.kill();
      replicas.splice(replicas.indexOf(replica), 1);
      world.after(world.upTo(PAUSE_MS), () =>
        this.#simulation.start(this.#dangers.optionsOf(this.#started++)),
      );
    }
  }

  #pause(replica: SimulatedReplica): void {
    const { world } = this.#simulation;
    world.pause(replica.process);
    replica.disturbedAt = Number.POSITIVE_INFINITY;
    world.after(world.upTo(2 * FAULT_MS), () => {
      world.resume(replica.process);
      replica.disturbedAt = world.now;
    });
  }

  /** All connections to etcd break meanwhile. */
  #restore(): void {
    const { etcd, network } = this.#simulation;
    const back = this.#simulation.world.random.below(20);
    const first = this.#truth.commits[0]?.revision ?? 0;
    const revision = Math.max(etcd.store.compacted, first, etcd.store.revision - back);
    network.breakAll();
    etcd.store.restoreBumped(revision);
    this.#truth.restore(revision);
    this.#recorder.restore(revision);
  }
}
