import type { Link } from '../network/network.ts';
import { FAULT_MIXES, type NetworkFaults, NO_FAULTS } from '../network/network-faults.ts';
import type { SimulatedReplica } from '../service/replica.ts';
import type { Simulation } from '../service/simulation.ts';
import type { Checker } from './checker.ts';
import type { StoredHistory } from './stored-history.ts';

/** The kinds of faults that a run injects besides those of the network. */
export interface FaultKinds {
  /** Faults may be such that replicas have to load the list again. The others need it. */
  readonly reloads: boolean;
  /** etcd is full, or takes a permission away, for a while. */
  readonly refuses: boolean;
  /** Replicas are killed, paused and started. */
  readonly restarts: boolean;
  /** etcd is restored from a backup. */
  readonly restores: boolean;
  /** etcd comes back without data. */
  readonly empties: boolean;
  /** Watches lose events, and get some twice. */
  readonly loses: boolean;
  /** A node comes back as a cluster of its own, without data. */
  readonly separates: boolean;
}

/** The longest time between two faults, and of most of them, in milliseconds. */
const PAUSE_MS = 2_000;
const FAULT_MS = 4_000;

/** The same for faults that give no reason for a load. */
const MILD_MS = 400;

/** The longest time that pieces of a response wait for the next ones, in milliseconds. */
const MAX_JOIN_MS = 300;

/** Injects random faults, and ends them. */
export class FaultInjector {
  readonly #simulation: Simulation;
  readonly #history: StoredHistory;
  readonly #checker: Checker;
  readonly #kinds: FaultKinds;
  readonly #start: () => void;

  /** @param start starts a replica in place of one that was killed */
  constructor(
    simulation: Simulation,
    history: StoredHistory,
    checker: Checker,
    kinds: FaultKinds,
    start: () => void,
  ) {
    this.#simulation = simulation;
    this.#history = history;
    this.#checker = checker;
    this.#kinds = kinds;
    this.#start = start;
  }

  async run(isOver: () => boolean): Promise<void> {
    const { environment } = this.#simulation;
    while (!isOver()) {
      await environment.sleep(environment.upTo(this.#kinds.reloads ? PAUSE_MS : MILD_MS));
      if (!isOver()) this.#fault();
      this.#supervise();
    }
  }

  /** Ends all faults. Messages that are on their way still arrive. */
  heal(): void {
    const { etcd, network, environment, replicas } = this.#simulation;
    etcd.isFull = false;
    etcd.deniesPermission = false;
    etcd.split = (events) => [events];
    network.heal();
    for (const { process } of replicas) environment.resume(process);
    this.#supervise();
  }

  /** Starts replicas again that have ended because a node was of another cluster. */
  #supervise(): void {
    for (const replica of [...this.#simulation.replicas]) {
      const [reason = ''] = replica.incompatibilities;
      if (reason.includes('different clusters')) this.#restart(replica, 0);
    }
  }

  #restart(replica: SimulatedReplica, afterMs: number): void {
    const { environment, replicas } = this.#simulation;
    replica.kill();
    replicas.splice(replicas.indexOf(replica), 1);
    environment.after(afterMs, this.#start);
  }

  #fault(): void {
    const { environment, network, etcd } = this.#simulation;
    const { refuses, restarts, restores, empties, loses, separates, reloads } = this.#kinds;
    const faults: readonly (readonly [weight: number, happen: () => void])[] = [
      [40, () => this.#changeFaults()],
      [15, () => this.#reach(network.links.filter(() => environment.chance(0.4)))],
      [5, () => this.#reach(network.links)],
      [reloads ? 8 : 30, () => this.#breakWatches()],
      [
        reloads ? 8 : 0,
        () => etcd.store.compact(etcd.store.revision - environment.random.below(3)),
      ],
      [4, () => (etcd.token = `t${environment.random.below(1_000)}`)],
      [4, () => etcd.write([{ put: 'other', value: `${environment.now}` }])],
      [refuses ? 15 : 0, () => this.#refuse()],
      [restarts ? 12 : 0, () => this.#disturb()],
      [restores ? 30 : 0, () => this.#restore()],
      [empties ? 80 : 0, () => this.#empty()],
      [loses ? 20 : 0, () => this.#loseEvents()],
      [separates ? 40 : 0, () => this.#separate()],
    ];
    let choice = environment.upTo(faults.reduce((sum, [weight]) => sum + weight, 0));
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

  /** As etcd 3.4 has done: events are lost, or come again. */
  #loseEvents(): void {
    const { environment, etcd } = this.#simulation;
    etcd.split = (events) => {
      if (environment.chance(0.9)) return [events];
      return environment.random.pick<(typeof events)[]>([
        [],
        [events.slice(1)],
        [events.slice(0, 1), events],
      ]);
    };
    environment.after(environment.upTo(FAULT_MS), () => {
      etcd.split = (events) => [events];
    });
  }

  #separate(): void {
    const { environment, network } = this.#simulation;
    const link = environment.pick(network.links);
    if (link === undefined || network.separated.size > 0) return;
    network.separate(link.url, true);
    environment.after(environment.upTo(FAULT_MS), () => network.separate(link.url, false));
  }

  /**
   * No request arrives twice if etcd may refuse one copy and apply the other, or may be emptied
   * between them (docs/replicas.md).
   */
  #chosenFaults(): NetworkFaults {
    const { environment } = this.#simulation;
    const { reloads, refuses, empties } = this.#kinds;
    const mix = environment.chance(0.4) ? NO_FAULTS : environment.random.pick(FAULT_MIXES);
    const faults = reloads || keepsLists(mix) ? mix : NO_FAULTS;
    const joins = { joins: environment.chance(0.4) ? 1 : 0, joinMs: environment.upTo(MAX_JOIN_MS) };
    return { ...faults, ...joins, ...((refuses || empties) && { twice: 0 }) };
  }

  #reach(links: readonly Link[]): void {
    const { environment, network } = this.#simulation;
    const { reloads } = this.#kinds;
    const reach = reloads && environment.chance(0.5) ? 'silent' : 'refused';
    network.set(links, reach);
    const ms = environment.upTo(reloads ? FAULT_MS : MILD_MS);
    environment.after(ms, () => network.set(links, 'open'));
  }

  #breakWatches(): void {
    for (const link of this.#simulation.network.links) link.reset();
  }

  #refuse(): void {
    const { environment, etcd } = this.#simulation;
    const isFull = environment.chance(0.5);
    etcd.isFull = isFull;
    etcd.deniesPermission = !isFull;
    environment.after(environment.upTo(FAULT_MS), () => {
      etcd.isFull = false;
      etcd.deniesPermission = false;
    });
  }

  #disturb(): void {
    const { environment, replicas } = this.#simulation;
    const replica = environment.pick(replicas);
    if (replica === undefined) return;
    if (this.#kinds.reloads && environment.chance(0.5)) this.#pause(replica);
    else this.#restart(replica, environment.upTo(PAUSE_MS));
  }

  #pause(replica: SimulatedReplica): void {
    const { environment } = this.#simulation;
    environment.pause(replica.process);
    replica.disturbedAt = Number.POSITIVE_INFINITY;
    environment.after(environment.upTo(2 * FAULT_MS), () => {
      environment.resume(replica.process);
      replica.disturbedAt = environment.now;
    });
  }

  /** All connections to etcd break meanwhile. */
  #restore(): void {
    const { etcd, network } = this.#simulation;
    const back = this.#simulation.environment.random.below(20);
    const first = this.#history.commits[0]?.revision ?? 0;
    const revision = Math.max(etcd.store.compacted, first, etcd.store.revision - back);
    network.breakAll();
    etcd.store.restoreBumped(revision);
    this.#forgetAfter(revision);
  }

  /** All connections to etcd break, which comes back without data, as if its disk was replaced. */
  #empty(): void {
    const { etcd, network } = this.#simulation;
    network.breakAll();
    etcd.store.restore(1);
    this.#forgetAfter(1);
  }

  #forgetAfter(revision: number): void {
    this.#history.restore(revision);
    this.#checker.restore(revision);
  }
}

/** Whether a watch that these faults disturb continues without a load of the list. */
function keepsLists({ slowMs, stalls, garbles, hidesWatch }: NetworkFaults): boolean {
  return slowMs < 1_000 && stalls + garbles + hidesWatch === 0;
}
