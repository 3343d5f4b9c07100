import {
  type HttpServer,
  Problem,
  type Request,
  type RouteSet,
  type Site,
} from '../../lib/http/index.ts';
import { runToEnd } from '../../lib/steps.ts';
import type { TableOptions } from '../../lib/table/index.ts';
import type { Feature } from '../feature.ts';
import type { DescribedRoute } from '../operation.ts';
import { serviceProblem } from '../problem-types.ts';
import { InvalidInputError } from '../resource/validation.ts';
import { fullProblem } from '../store/full-store.ts';
import { Items, type SeedItems } from '../store/items.ts';
import { memoryStore } from '../store/memory-store.ts';
import type { SharedStore, Store } from '../store/store.ts';
import type { ItemResource } from '../todo/item-resource.ts';
import type { SeedFile } from '../todo/seed-file.ts';
import { type MemoryBudget, Place, type PlaceOptions, type TodoList } from '../todo/todo-list.ts';
import { checkListName, isListName, MAX_LISTS } from './list-name.ts';
import { OldLists } from './old-lists.ts';

/** The prefix of the paths of lists with a name, below the base path. */
const LISTS = '/lists/';

/** The prefix of the paths that make and remove lists, in a site. */
const ADMIN_LISTS = '/admin/lists/';

interface ListsOptions {
  readonly server: HttpServer;
  readonly resource: ItemResource;
  readonly basePath: string;
  /** The limits of all lists together. `maxRows` holds for each of them. */
  readonly limits: TableOptions & { readonly maxBytes: number };
  /** The store, if several processes share it. Then there is only the list at the base path. */
  readonly shared: SharedStore | undefined;
  /** The items of each new list, unless others are given. */
  readonly seed: SeedItems;
  /** The file of these items, which is read again for each new list. */
  readonly seedFile: SeedFile | undefined;
  readonly hasToken: boolean;
}

/** A request, or the program, that waits for its turn to change lists. */
type Caller = Pick<Request, 'isDisconnected' | 'isHalfClosed'>;

/** How to put a list in a place. */
interface PutOptions {
  /** Returns the items; undefined for those of the service. Called when its turn has come. */
  readonly seedOf?: () => SeedItems | undefined;
  readonly caller?: Caller;
}

/** How to change the list that has a name. */
interface NamedOptions {
  readonly caller?: Caller;
  /** Called when its turn has come. @param place the list that has the name @throws Problem */
  readonly check?: (place: Place | undefined) => void;
}

/**
 * Makes, resets and removes lists (testing.md: "Lists with names"). The list at the base path always exists;
 * others have a name, and lie below `/lists/NAME`.
 */
export class Lists implements Feature {
  readonly #old: OldLists;
  readonly #options: ListsOptions;
  readonly #places = new Map<string, Place>();
  #base: Place | undefined;
  /** The routes of lists with a name, derived from those at the base path. */
  #routeSet: RouteSet<DescribedRoute> | undefined;
  /** Fulfilled when all changes of lists that have been asked for are done. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The number of changes that wait or are being made. */
  #changes = 0;

  constructor(options: ListsOptions) {
    this.#options = options;
    this.#old = new OldLists(options.limits.maxBytes, options.server);
  }

  /** Whether lists can have names. */
  get hasNames(): boolean {
    return this.#options.shared === undefined;
  }

  /** The lists with a name, by ascending name. */
  get named(): readonly Place[] {
    return [...this.#places.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The place at the base path, which exists from the start on. */
  get base(): Place {
    if (this.#base === undefined) throw new TypeError('the place at the base path is not open');
    return this.#base;
  }

  /** The site of a path. */
  siteOf(path: string): Site {
    const name = this.#places.size === 0 ? undefined : this.#nameIn(path);
    const named = name === undefined ? undefined : this.#places.get(name);
    return (named ?? this.base).siteOf(path);
  }

  /** The name in a path; undefined if it is not below `/lists`. */
  #nameIn(path: string): string | undefined {
    const prefix = this.#options.basePath + LISTS;
    return path.startsWith(prefix) ? firstSegment(path, prefix) : undefined;
  }

  /** Explains unknown paths of lists. @throws Problem `invalid-name` */
  pathHint({ method, path, localPath, site }: Request): string | undefined {
    if (!this.hasNames) return undefined;
    const { basePath, hasToken } = this.#options;
    if (site.basePath !== basePath) {
      const isAtBase = this.base.routeSet.router.find(method, localPath) !== undefined;
      return isAtBase ? `; it may be at ${basePath}${localPath}` : undefined;
    }
    // No route has a dot segment as its parameter.
    const isAdmin = hasToken && localPath.startsWith(ADMIN_LISTS);
    if (isAdmin) checkListName(firstSegment(localPath, ADMIN_LISTS));
    const name = this.#nameIn(path);
    if (name === undefined) return undefined;
    // Without lists, an invalid name is as unknown as any other path.
    const mayHaveLists = hasToken || this.#places.size > 0;
    if (!mayHaveLists && !isListName(name)) return undefined;
    checkListName(name);
    const how = hasToken ? `PUT ${basePath}/admin/lists/${name}` : `LISTS=${name}`;
    return `; there is no list ${name} (${how} makes it)`;
  }

  onEnd(list: TodoList): void {
    this.#old.add(list);
  }

  onStop(): void {
    for (const place of [this.base, ...this.#places.values()]) place.end();
  }

  /**
   * Puts another list in a place. One after the other, because parsing a seed takes many times its
   * size in memory. @throws TableFullError, or a Problem of the caller, the place, file or store
   */
  reset(place: Place, options: PutOptions = {}): Promise<void> {
    return this.#inTurn(options.caller, () => this.#replace(place, options));
  }

  /**
   * Creates a list with a name, or resets it.
   * @returns its place, and whether it is new @throws as {@link reset}, and Problem `store-full`
   */
  put(name: string, options: PutOptions & NamedOptions = {}) {
    return this.#inTurn(options.caller, async () => {
      const place = this.#places.get(name);
      options.check?.(place);
      if (place !== undefined) {
        await this.#replace(place, options);
        return { place, isNew: false };
      }
      const steps = this.#make(name, this.#seedFor(options.seedOf?.()));
      return { place: await this.#options.server.scheduler.run(steps), isNew: true };
    });
  }

  /** Creates the place at the base path, with its first list. */
  open(base: PlaceOptions, store: Store): void {
    this.#base = new Place(base, store);
  }

  /** Creates lists with the service's items at the start. @throws Problem `store-full` */
  start(names: readonly string[]): void {
    for (const name of names) {
      try {
        runToEnd(this.#make(name, this.#options.seed));
      } catch (error) {
        throw fullProblem(error, 'each list begins with the seed') ?? error;
      }
    }
  }

  /** Removes a list, whether or not there is one. @throws Problem of the caller or the check */
  remove(name: string, { caller, check }: NamedOptions = {}): Promise<void> {
    return this.#inTurn(caller, async () => {
      const place = this.#places.get(name);
      check?.(place);
      if (place === undefined) return;
      this.#places.delete(name);
      place.remove();
      this.base.maxItemBytes += this.#shareBytes;
    });
  }

  /** Runs a change of lists after all others. */
  #inTurn<T>(caller: Caller | undefined, change: () => Promise<T>): Promise<T> {
    const mustWait = this.#changes++ > 0;
    const turn = this.#turn.then(() => {
      // A test runner that has given up must not change the list of the next test.
      const isGone = caller?.isDisconnected || caller?.isHalfClosed;
      if (mustWait && isGone) throw ABANDONED;
      return change();
    });
    this.#turn = turn
      .catch(() => {})
      .then(() => {
        this.#changes--;
      });
    return turn;
  }

  async #replace(place: Place, { seedOf }: PutOptions): Promise<void> {
    const { server, shared } = this.#options;
    if (place.isRemoved) {
      throw new Problem('unknown-path', `The list ${place.name} has been removed`);
    }
    const given = seedOf?.();
    const seed = this.#seedFor(given);
    try {
      if (shared !== undefined) {
        await shared.reset(seed);
        // The faults and the journal of this process begin again.
        place.put(place.list.store);
        return;
      }
      const items = this.#itemsFor(place.maxItemBytes);
      await server.scheduler.run(items.fill(seed));
      place.put(memoryStore(items));
    } catch (error) {
      // A list with a name has less room than the file may take, so there the file is not at fault.
      const isFile = given === undefined && place.name === '';
      const reason = isFile && this.#options.seedFile?.tooLarge(error);
      throw reason ? serviceProblem('seed-unusable', reason.message) : error;
    }
  }

  /** The items of a new list. @throws Problem if the seed file cannot be used */
  #seedFor(given: SeedItems | undefined): SeedItems {
    const { seedFile, resource, seed } = this.#options;
    try {
      return given ?? seedFile?.read(resource.rules) ?? seed;
    } catch (error) {
      throw error instanceof InvalidInputError
        ? serviceProblem('seed-unusable', error.message)
        : error;
    }
  }

  #itemsFor(maxBytes: number): Items {
    const { limits, resource } = this.#options;
    return new Items(resource.fields, { ...limits, maxBytes });
  }

  /** The memory that a list with a name reserves, in bytes. */
  get #shareBytes(): number {
    return Math.floor(this.#options.limits.maxBytes / MAX_LISTS);
  }

  /** The memory for one more list. @throws Problem `store-full` if there is none */
  #reservation(): MemoryBudget {
    const { base } = this;
    const share = this.#shareBytes;
    if (this.#places.size >= MAX_LISTS) {
      const detail = `There are at most ${MAX_LISTS} lists with a name; delete one first`;
      throw serviceProblem('store-full', detail);
    }
    if (base.list.items.table.bytes > base.maxItemBytes - share) {
      const room = `a hundredth of MAX_BYTES (${share} bytes)`;
      const detail = `The items at the base path do not leave ${room}; delete some, or a list`;
      throw serviceProblem('store-full', detail);
    }
    return {
      items: Math.floor(share / 2),
      journal: Math.min(base.options.budget.journal, Math.floor(share / 4)),
      history: Math.floor(share / 8),
      cache: Math.floor(share / 8),
    };
  }

  /** Creates a list in steps. @returns its place @throws Problem `store-full`, TableFullError */
  *#make(name: string, seed: SeedItems): Generator<undefined, Place> {
    const { options } = this.base;
    const budget = this.#reservation();
    const items = this.#itemsFor(budget.items);
    yield* items.fill(seed);
    const basePath = options.basePath + LISTS + name;
    const routeSet = this.#routes;
    const place = new Place({ ...options, name, basePath, routeSet, budget }, memoryStore(items));
    this.#places.set(name, place);
    this.base.maxItemBytes -= this.#shareBytes;
    return place;
  }

  /** The routes at the base path without those of the process. */
  get #routes(): RouteSet<DescribedRoute> {
    const { routeSet } = this.base.options;
    const routes = routeSet.routes.filter(({ operation }) => !operation.isOfProcess);
    this.#routeSet ??= this.#options.server.routeSet({ ...routeSet, routes });
    return this.#routeSet;
  }
}

const ABANDONED = new Problem(
  'overloaded',
  'The client had ended its side before the turn of this request came; nothing was done',
  { headers: { 'Retry-After': '1' } },
);

/** The segment of a path behind a prefix. */
function firstSegment(path: string, prefix: string): string {
  const [segment = ''] = path.slice(prefix.length).split('/', 1);
  return segment;
}
