import { type EventHub, type HttpServer, Problem } from '../../lib/http/index.ts';
import { type Awaitable, runToEnd } from '../../lib/steps.ts';
import type { Commit, TableOptions } from '../../lib/table/index.ts';
import type { Feature } from '../feature.ts';
import { ItemList, type ListFeature, type MemoryBudget, type Mount } from '../items/item-list.ts';
import type { ItemResource } from '../items/item-resource.ts';
import type { SeedFile } from '../items/seed-file.ts';
import { serviceProblem } from '../problem-types.ts';
import type { ItemFields } from '../resource/definition.ts';
import { RowJsonCache } from '../resource/serializer.ts';
import { InvalidInputError } from '../resource/validation.ts';
import { Items, type SeedItems } from '../store/items.ts';
import { memoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/store.ts';
import { storeFullProblem } from '../store/store-full.ts';
import { type Caller, ChangeQueue } from './change-queue.ts';
import { MAX_LISTS } from './list-name.ts';

/** The prefix of the paths of lists with a name, below the base path. */
export const LISTS_PREFIX = '/lists/';

/** The event streams of mounts. */
interface Streams {
  /** Creates the streams of a mount. @param listId the id of the list that is there now */
  newHub(listId: () => string, maxHistoryBytes: number): EventHub;
  /** Event: a commit of the mounted list. */
  publish(mount: Mount, commit: Commit<ItemFields>): void;
  /** Ends the streams of a mount, also those that open later. */
  remove(hub: EventHub): void;
}

interface ListsOptions {
  readonly server: HttpServer;
  readonly resource: ItemResource;
  readonly basePath: string;
  /** `maxBytes` limits all lists together, `maxRows` each list. */
  readonly limits: TableOptions & { readonly maxBytes: number };
  /** The memory of the list at the base path, as long as there is no other. */
  readonly budget: MemoryBudget;
  /** The items of each new list, unless others are given. */
  readonly seed: SeedItems;
  /** The file of these items, which is read again for each new list. */
  readonly seedFile: SeedFile | undefined;
  /** The features that keep something for each list. */
  readonly features: readonly Feature[];
  /** Undefined if there are no event streams. */
  readonly streams: Streams | undefined;
}

/** How to make the list that replaces another one. */
interface NewListOptions {
  /** Reads the items; undefined for those of the service. Called when the change is due. */
  readonly readItems?: () => Awaitable<SeedItems | undefined>;
  readonly caller?: Caller;
}

/** How to change the list that has a name. */
interface NamedOptions {
  readonly caller?: Caller;
  /** Called when the change is due. @param mount the list that has the name @throws Problem */
  readonly check?: (mount: Mount | undefined) => void;
}

interface RemoveOptions extends NamedOptions {
  /** Removes the mount only if it is this one. */
  readonly only?: Mount;
}

/**
 * Creates, resets and removes lists (testing.md: "Lists with names"). There is always one at the
 * base path. The other mounts have a name, and lie below `/lists/NAME`.
 */
export class Lists {
  /** The mount at the base path. */
  readonly base: Mount;
  /** The number of commits of all lists so far, including those of resets and seeds. */
  commits = 0;
  readonly #options: ListsOptions;
  /** The mounts with a name. */
  readonly #mounts = new Map<string, Mount>();
  #publicNames: readonly string[] = [];
  readonly #changes = new ChangeQueue();
  #isStopped = false;

  /** @param store the store of the first list at the base path */
  constructor(options: ListsOptions, store: Store) {
    this.#options = options;
    this.base = this.#newMount('', options.basePath, options.budget, store);
  }

  /** All mounts, the base first. */
  get mounts(): readonly Mount[] {
    return [this.base, ...this.#mounts.values()];
  }

  /** The mounts with a name, by ascending name. */
  get namedMounts(): readonly Mount[] {
    return [...this.#mounts.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The names of the lists of the setting `LISTS` that exist, which are no secret. */
  get publicNames(): readonly string[] {
    return this.#publicNames.filter((name) => this.#mounts.has(name));
  }

  /** The mount with a name; undefined if there is none. */
  mountOf(name: string): Mount | undefined {
    return this.#mounts.get(name);
  }

  /** The service stops: delays, waits and streams end, those of later lists, too. */
  stop(): void {
    this.#isStopped = true;
    for (const { list, hub } of this.mounts) {
      list.end();
      hub?.end();
    }
  }

  /**
   * Replaces the list of a mount by a new one.
   * @throws TableFullError, or a Problem of the caller, mount, file or store
   */
  reset(mount: Mount, options: NewListOptions = {}): Promise<void> {
    return this.#changes.run(options.caller, (hasWaited) =>
      this.#replace(mount, options, hasWaited),
    );
  }

  /**
   * Creates a list with a name, or resets it.
   * @returns its mount, and whether it is new @throws as {@link reset}, and Problem `store-full`
   */
  put(name: string, options: NewListOptions & NamedOptions = {}) {
    return this.#changes.run(options.caller, async (hasWaited) => {
      const mount = this.#mounts.get(name);
      options.check?.(mount);
      if (mount !== undefined) {
        await this.#replace(mount, options, hasWaited);
        return { mount, isNew: false };
      }
      const steps = this.#createNamed(
        name,
        await this.#itemsOfNewList(await options.readItems?.()),
      );
      return { mount: await this.#options.server.scheduler.run(steps), isNew: true };
    });
  }

  /** Creates the lists of the setting `LISTS`, with the service's items. @throws Problem `store-full` */
  start(names: readonly string[]): void {
    this.#publicNames = names;
    for (const name of names) {
      try {
        runToEnd(this.#createNamed(name, this.#options.seed));
      } catch (error) {
        throw storeFullProblem(error, 'each list begins with the seed') ?? error;
      }
    }
  }

  /** Removes the list with a name, if there is one. @throws Problem of the caller or the check */
  remove(name: string, { caller, check, only }: RemoveOptions = {}): Promise<void> {
    return this.#changes.run(caller, async () => {
      const mount = this.#mounts.get(name);
      check?.(mount);
      if (mount === undefined || (only ?? mount) !== mount) return;
      this.#mounts.delete(name);
      mount.isRemoved = true;
      mount.list.end();
      if (mount.hub !== undefined) this.#options.streams?.remove(mount.hub);
      this.#resizeBase(this.#shareBytes);
    });
  }

  async #replace(mount: Mount, { readItems }: NewListOptions, hasWaited: boolean): Promise<void> {
    if (mount.isRemoved) {
      throw new Problem('unknown-path', `The list ${mount.name} has been removed`);
    }
    const given = await readItems?.();
    const seed = await this.#itemsOfNewList(given);
    try {
      const items = mount.list.items.createEmpty();
      await this.fill(items, seed);
      const store = await mount.list.store.replace(items, hasWaited);
      const { list } = mount;
      const features = this.#newFeatures(mount.budget);
      // A store that returns itself has mounted the items already, and has later commits of them.
      if (store === list.store) mount.list = this.#newList(mount.budget, store, features);
      else this.mountItemsOf(mount, store, features);
      list.end();
    } catch (error) {
      // A list with a name has less room than the file may take, so there the file is not at fault.
      const isFileAtFault = given === undefined && mount.name === '';
      const reason = isFileAtFault && this.#options.seedFile?.tooLarge(error);
      throw reason ? serviceProblem('seed-unusable', reason.message) : error;
    }
  }

  /** Fills empty items, in steps. @param seed by default, that of the service @throws TableFullError */
  fill(items: Items, seed = this.#options.seed): Promise<void> {
    return this.#options.server.scheduler.run(items.fill(seed));
  }

  /**
   * Mounts the items of another store, as another list. Event streams get `reset`.
   * @param features by default, those of the previous list stay, such as its faults
   */
  mountItemsOf(mount: Mount, store: Store, features = mount.list.features): void {
    mount.list = this.#newList(mount.budget, store, features);
    this.#follow(mount);
    this.commits++;
    mount.hub?.reset(store.items.table.lastCommit);
  }

  /** The items of a new list. @throws Problem if the seed file cannot be used */
  async #itemsOfNewList(given: SeedItems | undefined): Promise<SeedItems> {
    const { seedFile, resource, seed, server } = this.#options;
    if (given !== undefined || seedFile === undefined) return given ?? seed;
    try {
      return await server.scheduler.run(seedFile.read(resource.rules));
    } catch (error) {
      throw error instanceof InvalidInputError
        ? serviceProblem('seed-unusable', error.message)
        : error;
    }
  }

  #itemsFor(maxBytes: number): Items {
    const { limits, resource } = this.#options;
    const { fields, columns } = resource;
    return new Items(fields, { ...limits, columns, maxBytes });
  }

  /** The memory that a list with a name reserves, in bytes. The base keeps at least as much. */
  get #shareBytes(): number {
    return Math.floor(this.#options.limits.maxBytes / (MAX_LISTS + 1));
  }

  /** Takes the memory for one more list from the base. @throws Problem `store-full` if it lacks it */
  #reserve(): MemoryBudget {
    const { base } = this;
    const share = this.#shareBytes;
    if (this.#mounts.size >= MAX_LISTS) {
      const detail = `There are at most ${MAX_LISTS} lists with a name; delete one first`;
      throw serviceProblem('store-full', detail);
    }
    if (base.list.items.table.bytes > base.budget.items - share) {
      const room = `a 101st of MAX_BYTES (${share} bytes)`;
      const detail = `The items at the base path do not leave ${room}; delete some, or a list`;
      throw serviceProblem('store-full', detail);
    }
    this.#resizeBase(-share);
    return {
      items: Math.floor(share / 2),
      journal: Math.min(base.budget.journal, Math.floor(share / 4)),
      history: Math.floor(share / 8),
      cache: Math.floor(share / 8),
    };
  }

  /** Creates a list in steps. @returns its mount @throws Problem `store-full`, TableFullError */
  *#createNamed(name: string, seed: SeedItems): Generator<undefined, Mount> {
    const budget = this.#reserve();
    const items = this.#itemsFor(budget.items);
    try {
      yield* items.fill(seed);
    } catch (error) {
      this.#resizeBase(this.#shareBytes);
      throw error;
    }
    const basePath = this.#options.basePath + LISTS_PREFIX + name;
    const mount = this.#newMount(name, basePath, budget, memoryStore(items));
    this.#mounts.set(name, mount);
    return mount;
  }

  #newMount(name: string, basePath: string, budget: MemoryBudget, store: Store): Mount {
    const { streams } = this.#options;
    const mount: Mount = {
      ...{ name, basePath, budget, lastRequestAt: undefined, isRemoved: false },
      list: this.#newList(budget, store),
      hub: streams?.newHub(() => mount.list.store.id, budget.history),
    };
    if (this.#isStopped) mount.hub?.end();
    this.#follow(mount);
    if (store.items.table.size > 0) this.commits++;
    return mount;
  }

  #newList(
    budget: MemoryBudget,
    store: Store,
    features: readonly ListFeature[] = this.#newFeatures(budget),
  ): ItemList {
    const rowJson = new RowJsonCache(this.#options.resource.serialize, budget.cache);
    const list = new ItemList(store, rowJson, features);
    if (this.#isStopped) list.end();
    return list;
  }

  #newFeatures(budget: MemoryBudget): readonly ListFeature[] {
    const onChange = () => {
      for (const feature of own) feature.onOtherChange?.();
    };
    const { features } = this.#options;
    const own = features.flatMap((feature) => feature.newListFeature?.(budget, onChange) ?? []);
    return own;
  }

  /** Follows the commits of the list that is now mounted. */
  #follow(mount: Mount): void {
    const { streams } = this.#options;
    const { items } = mount.list;
    items.table.onCommit((commit) => {
      this.commits++;
      // Requests that hold the previous list may still change its items.
      if (mount.list.items === items && !mount.isRemoved) streams?.publish(mount, commit);
    });
  }

  #resizeBase(bytes: number): void {
    const { budget, list } = this.base;
    budget.items += bytes;
    list.items.table.maxBytes = budget.items;
  }
}
