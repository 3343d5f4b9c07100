import type { Api } from './api/api.ts';
import { readApiDocument } from './api/api-document.ts';
import { Live, type LiveState } from './api/live.ts';
import { ConnectionError, sentenceOf } from './api/problem.ts';
import { COLLECTION } from './api/todo.ts';
import { Composer } from './editor/composer.ts';
import { View } from './list/address.ts';
import { ItemActions } from './list/item-actions.ts';
import { List } from './list/list.ts';
import { ListView } from './list/list-view.ts';
import { Pager } from './list/pager.ts';
import { Toolbar } from './list/toolbar.ts';
import { Undo } from './list/undo.ts';
import { showReference } from './reference/reference.ts';
import { find, setText, show } from './shared/dom.ts';
import { parseJson } from './shared/json.ts';

const LIVE_TEXTS: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  offline: 'No connection',
  off: 'No live updates',
};

/** How long to wait before asking for the API document again, in milliseconds. */
const RETRY_MS = 5_000;

/** The parts of the page, put together. */
export class App {
  readonly #api: Api;
  readonly #list: List;
  readonly #listView: ListView;
  readonly #composer: Composer;
  readonly #live: Live;
  readonly #toolbar = new Toolbar((view, isTyping) => this.#open(view, isTyping));
  readonly #pager = new Pager((view) => this.#turnTo(view));
  readonly #banner = find('banner', HTMLElement);
  readonly #message = find('message', HTMLElement);
  readonly #empty = find('empty', HTMLElement);
  #documentText = '';
  #retry: number | undefined;
  /** The last view that was opened by typing. */
  #typed: View | undefined;
  #isNullable = false;

  constructor(api: Api) {
    this.#api = api;
    this.#list = new List(api, new View(location.search), {
      changed: () => this.#render(),
      itemChanged: (id, todo) => this.#listView.itemChanged(id, todo),
    });
    const actions = new ItemActions(api, this.#list, (error) => {
      // The request may have arrived although there was no response.
      const isLost = error instanceof ConnectionError;
      this.#tell(error, isLost ? ' The change may not have been made.' : '');
    });
    this.#composer = new Composer(api, ({ title }) => {
      announce(`Added: ${title}`);
      this.#list.refresh();
    });
    const undo = new Undo({
      confirmed: (todo) => actions.delete(todo),
      undone: (todo) => {
        this.#list.hide(todo.id, false);
        this.#listView.focusItem(todo.id);
        announce(`Restored: ${todo.title}`);
      },
    });
    this.#listView = new ListView(api, this.#list, {
      actions: {
        complete: (todo, completed) => actions.patch(todo, { completed }),
        prioritize: (todo, priority) => actions.patch(todo, { priority }),
        remove: (todo) => {
          this.#list.hide(todo.id, true);
          undo.removed(todo);
        },
      },
      isNullable: () => this.#isNullable,
      settled: () => actions.settled,
      rescued: (values) => this.#composer.fill(values),
      emptied: () => this.#composer.focus(),
    });
    this.#live = new Live(
      api,
      `${COLLECTION}/events`,
      (event) => this.#list.take(event),
      (state, reason) => this.#liveChanged(state, reason),
    );
  }

  start(): void {
    addEventListener('popstate', () => this.#show(new View(location.search)));
    find('message-close', HTMLButtonElement).addEventListener('click', () => {
      show(this.#message, false);
      this.#composer.focus();
    });
    find('show-all', HTMLButtonElement).addEventListener('click', () => {
      this.#open(new View(''), false);
      find('search', HTMLInputElement).focus();
    });
    this.#toolbar.render(this.#list.view);
    this.#live.start();
    this.#list.load();
    this.#loadDocument();
  }

  /** Opens a view, and puts it into the address. Typing makes one history entry, not many. */
  #open(view: View, isTyping: boolean): Promise<void> {
    if (isTyping && this.#list.view === this.#typed) history.replaceState(null, '', view.pagePath);
    else history.pushState(null, '', view.pagePath);
    this.#typed = isTyping ? view : undefined;
    return this.#show(view);
  }

  /** Opens another page of the list, and moves the focus to its beginning. */
  async #turnTo(view: View): Promise<void> {
    await this.#open(view, false);
    find('items', HTMLElement).focus();
  }

  async #show(view: View): Promise<void> {
    this.#toolbar.render(view);
    await this.#list.open(view);
    if (this.#list.view === view) announce(find('count', HTMLElement).textContent ?? '');
  }

  #render(): void {
    const { problem, shown, view, hasLoaded } = this.#list;
    this.#listView.render();
    this.#pager.render(this.#list);
    const place = find('list-problem', HTMLElement);
    const isTold = problem instanceof ConnectionError && this.#list.isOffline;
    show(place, problem !== undefined && !isTold);
    setText(place, problem === undefined || isTold ? '' : sentenceOf(problem));
    show(this.#empty, hasLoaded && problem === undefined && shown.length === 0);
    const whole = view.isWhole && view.offset === 0;
    setText(find('empty-text', HTMLElement), whole ? 'Nothing to do yet.' : 'Nothing here.');
    show(find('show-all', HTMLElement), !whole);
  }

  /** Loads what the service is and can do. After a restart, that may be another version. */
  async #loadDocument(): Promise<void> {
    clearTimeout(this.#retry);
    try {
      const headers = [['Accept', 'application/json']] as const;
      const { text } = await this.#api.send('GET', '/openapi.json', { headers });
      if (text === this.#documentText) return;
      this.#documentText = text;
      const api = readApiDocument(parseJson(text));
      this.#isNullable = api.isDescriptionNullable;
      document.title = api.title;
      setText(find('service', HTMLElement), `${api.title} \u00b7 ${api.version}`);
      showReference(this.#api, api);
    } catch (error) {
      this.#tell(error);
      this.#retry = setTimeout(() => this.#loadDocument(), RETRY_MS);
    }
  }

  #liveChanged(state: LiveState, reason: string): void {
    setText(find('live', HTMLElement), LIVE_TEXTS[state]);
    document.documentElement.dataset.live = state;
    const wasOffline = !this.#banner.hidden;
    show(this.#banner, state === 'offline');
    if (state === 'offline') {
      setText(find('banner-text', HTMLElement), `${reason} Trying again\u2026`);
    }
    this.#list.isOffline = state === 'offline';
    if (state === 'off') this.#list.refresh();
    if (state !== 'live' || !wasOffline) return;
    announce('The connection is back.');
    show(this.#message, false);
    this.#loadDocument();
  }

  /** Shows an error that belongs to no field. */
  #tell(error: unknown, hint = ''): void {
    setText(find('message-text', HTMLElement), sentenceOf(error) + hint);
    show(this.#message, true);
  }
}

/** Announces a text to screen readers. They ignore an unchanged text, so a repetition differs. */
function announce(text: string): void {
  const place = find('announcer', HTMLElement);
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}
