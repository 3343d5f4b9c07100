import type { PageData } from '../page-data.ts';
import { createEventStream, NO_CONNECTION } from './api/event-stream.ts';
import { createService } from './api/service.ts';
import { AdminToken } from './desk/admin-token.ts';
import { createDesk, createOwnTraffic } from './desk/desk.ts';
import { createComposer } from './editor/composer.ts';
import { createItemActions } from './list/item-actions.ts';
import { List } from './list/item-list.ts';
import { ListQuery } from './list/list-query.ts';
import { showList } from './list/list-view.ts';
import { createNavigation } from './list/navigation.ts';
import { createOutcomeBar } from './list/outcome-bar.ts';
import { createReference } from './reference/reference.ts';
import { element } from './shared/dom.ts';
import { announce, find, setNouns, setShown, setText, showMessage } from './shared/page.ts';

// The service writes it as the same type.
const data: PageData = JSON.parse(find('data').textContent ?? '');
// Before any part of the page says how many items there are.
setNouns(data.words);

/** The longest time that the list waits for the event stream, in milliseconds. */
const STREAM_WAIT_MS = 300;

/** The prefix of all paths. Only the page's own path shows the prefix that a gateway adds. */
const base = location.pathname.replace(/\/$/, '');

// Before anything else, because it takes the token out of the address.
const token = new AdminToken(base.replace(/\/lists\/[^/]+$/, ''));
const sending = createOwnTraffic(data, token);
const { send } = sending;
const service = createService(data, base, send);
const list = new List(service, new ListQuery(service, location.search));
const bar = createOutcomeBar();
const actions = createItemActions(service, list, bar);
const live = find('live');
const banner = find('banner');

function streamChanged(isLive: boolean, reason: string): void {
  if (isLive && banner.textContent !== '') announce('The connection is back.');
  list.isLive = isLive;
  banner.hidden = isLive;
  setText(banner, isLive ? '' : `${reason} Trying again\u2026`);
  showState();
}

/** Shows "Live" only while the stream is open and the list has been fetched. */
function showState(): void {
  if (service.events === undefined || (!list.isLive && banner.hidden)) return;
  const isCurrent = list.isLive && list.problem === undefined;
  live.dataset.is = isCurrent ? 'live' : 'offline';
  setText(live, isCurrent ? 'Live' : list.isLive ? 'Not up to date' : 'No connection');
}

function followEvents(path: string): void {
  const stream = createEventStream(send, path, (event) => list.applyEvent(event), streamChanged);
  addEventListener('offline', () => document.hidden || stream.retry(NO_CONNECTION));
  // A hidden page keeps no stream, because a browser opens only six connections to an origin.
  document.addEventListener('visibilitychange', () =>
    document.hidden ? stream.stop() : stream.connect(),
  );
  // Not awaited, because `connect` retries by itself.
  if (!document.hidden) void stream.connect();
}

/** The name of the list below whose path the page is; absent at the base path. */
const listName = /\/lists\/([^/]+)$/.exec(base)?.[1];
setText(find('heading'), data.words.heading);
document.title = listName === undefined ? data.title : `${listName} \u00b7 ${data.title}`;
setText(find('service'), `${document.title} \u00b7 ${data.version}`);
setShown(find('lists'), data.lists.length > 0);
find('lists').append(...data.lists.map((name) => element('a', { href: `lists/${name}/` }, name)));
find('message-close').addEventListener('click', () => showMessage(''));
createReference(send, base);
createDesk(data, base, token, service, bar, sending);
if (data.needsList) {
  setShown(find('main'), false);
  setText(live, 'Each request names its list.');
} else showItems();

function showItems(): void {
  createComposer(service, actions.created);
  showList(service, list, actions);
  list.addEventListener('change', showState);
  createNavigation(service, list);
  if (service.events === undefined) setText(live, 'No live updates');
  else followEvents(service.events);
  // A list that is fetched before the stream is ready may miss a change, and is fetched again.
  list.start(service.events === undefined || document.hidden ? 0 : STREAM_WAIT_MS);
}
