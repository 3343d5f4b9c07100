import { after, before, mock, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clock } from '../../../../../src/lib/clock.ts';
import type { AppOptions } from '../../../../../src/service/app.ts';
import type { Items } from '../../../../../src/service/store/items.ts';
import {
  type ReplicaStoreSettings,
  replicaStore,
} from '../../../../../src/service/store/replica-store.ts';
import type { Store } from '../../../../../src/service/store/store.ts';
import type { Variant } from '../../../../../src/service/todo/variant.ts';
import { variantA } from '../../../../../src/service/todo/variant-a.ts';
import { Client } from '../../../../support/client.ts';
import { LIST } from '../../../../support/paths.ts';
import { type RunningService, startApp } from '../../../../support/service.ts';
import { FakeEtcd } from './fake-etcd.ts';

/** A replica in this process, and what it has logged. */
export interface RunningReplica extends RunningService {
  readonly client: Client;
  readonly replica: Store;
  readonly items: Items;
  readonly incompatibilities: string[];
  /** Why its store was not available, and undefined when it was again. */
  readonly availability: (string | undefined)[];
  /** The faults of its own that have hit writes. */
  readonly faults: unknown[];
}

/** Starts a fake etcd on its own port. */
export async function fakeEtcd(test: TestContext): Promise<{ etcd: FakeEtcd; url: string }> {
  const etcd = new FakeEtcd();
  const url = await etcd.listen();
  test.after(() => etcd.close());
  return { etcd, url };
}

/** Starts a replica that stops when its test ends. */
export async function startReplica(
  test: TestContext,
  url: string,
  options: AppOptions & {
    readonly variant?: Variant;
    readonly settings?: Partial<ReplicaStoreSettings>;
    readonly isMaxRowsGiven?: boolean;
  } = {},
): Promise<RunningReplica> {
  const { variant = variantA, settings = {}, isMaxRowsGiven = false, ...appOptions } = options;
  const incompatibilities: string[] = [];
  const availability: (string | undefined)[] = [];
  const faults: unknown[] = [];
  let replica: Store | undefined;
  let ownItems: Items | undefined;
  const maxRows = appOptions.table?.maxRows ?? 1_000;
  const service = await startApp(test, variant, {
    env: { ADMIN_TOKEN: 'secret' },
    table: { maxRows },
    ...appOptions,
    openStore: (items, run) => {
      ownItems = items;
      replica = replicaStore(
        {
          etcd: { endpoints: url.split(',') },
          prefix: '/test/',
          timeoutMs: PATIENCE_MS,
          version: 'test',
          identity: { variant: variant.name, maxRows, isMaxRowsGiven },
          ...settings,
        },
        {
          onIncompatible: ({ message }) => incompatibilities.push(message),
          onUnavailable: (reason) => availability.push(reason),
          onFault: (fault) => faults.push(fault),
        },
        variant.fields,
        items,
        run,
      );
      return replica;
    },
  });
  const client = new Client(service.baseUrl);
  test.after(() => client.close());
  if (!replica || !ownItems) throw new TypeError('the service opened no store');
  return {
    ...service,
    client,
    replica,
    items: ownItems,
    incompatibilities,
    availability,
    faults,
  };
}

/**
 * Lets the replicas of a suite wait longer than any machine is slow, where they would give up a
 * connection or an attempt after a second: what a suite tells of is not how long they wait.
 */
export function waitPatiently(): void {
  let mocked: { readonly mock: { restore(): void } } | undefined;
  before(() => {
    const { setTimeout } = clock;
    mocked = mock.method(clock, 'setTimeout', (callback: () => void, ms: number) =>
      setTimeout(callback, ms < 500 ? ms : 60 * ms),
    );
  });
  after(() => mocked?.mock.restore());
}

/** Waits until a condition holds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await sleep(10);
  }
}

/** How long a test waits for anything, in milliseconds; far more than it should take. */
const PATIENCE_MS = 50_000;

/** Creates an item, and returns its id. */
export async function create(client: Client, title: string, description = ''): Promise<number> {
  const answer = await client.post(LIST, { title, description });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json<{ id: number }>().id;
}

/** The titles of all items, by ascending id. */
export async function titles(client: Client): Promise<string[]> {
  const answer = await client.get(LIST);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json<{ title: string }[]>().map(({ title }) => title);
}
