import type { TestContext } from 'node:test';
import { FaultyLink } from '../../../replicas/support/faulty-link.ts';
import { freePorts } from '../../../support/ports.ts';
import { type RunningReplica, startReplica, titles } from './replicas.ts';

/** The delay of late watches, in milliseconds. */
const LATE_MS = 200;

/** The share of etcd's responses to lose. */
const LOSS_RATE = 0.2;

/** Three replicas in this process. Each reaches etcd's nodes through its own proxies. */
export class Stage {
  readonly replicas: readonly RunningReplica[];
  readonly #links: readonly (readonly FaultyLink[])[];

  private constructor(
    replicas: readonly RunningReplica[],
    links: readonly (readonly FaultyLink[])[],
  ) {
    this.replicas = replicas;
    this.#links = links;
  }

  /**
   * Starts the replicas on a new list.
   * @param nodes the ports of etcd's nodes
   */
  static async start(test: TestContext, nodes: readonly number[]): Promise<Stage> {
    const prefix = `/${crypto.randomUUID()}/`;
    const both = await Promise.all(
      [0, 1, 2].map(async (index) => {
        // Each begins with another node.
        const order = [...nodes.slice(index), ...nodes.slice(0, index)];
        const links = order.map((port) => new FaultyLink(port));
        test.after(() => {
          for (const link of links) link.close();
        });
        const ports = await freePorts(links.length);
        await Promise.all(links.map((link, i) => link.listen(ports[i] ?? 0)));
        const endpoints = ports.map((port) => `http://127.0.0.1:${port}`);
        const replica = await startReplica(test, endpoints.join(','), { settings: { prefix } });
        await titles(replica.client);
        return { replica, links };
      }),
    );
    return new Stage(
      both.map(({ replica }) => replica),
      both.map(({ links }) => links),
    );
  }

  get baseUrls(): readonly string[] {
    return this.replicas.map(({ baseUrl }) => baseUrl);
  }

  /** Delays the watches of all replicas. */
  delayWatches(): void {
    for (const link of this.#links.flat()) link.watchDelayMs = LATE_MS;
  }

  /** Delays only the watch of one replica. */
  delayOneWatch(): void {
    for (const link of this.#links[0] ?? []) link.watchDelayMs = LATE_MS;
  }

  /** Loses some of etcd's responses. */
  loseResponses(): void {
    for (const link of this.#links.flat()) link.lossRate = LOSS_RATE;
  }

  /** Ends all faults. */
  heal(): void {
    for (const link of this.#links.flat()) {
      link.watchDelayMs = 0;
      link.lossRate = 0;
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
  }
}
