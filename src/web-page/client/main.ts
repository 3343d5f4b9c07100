import { readDocument } from './api/document.ts';
import { followEvents } from './api/event-stream.ts';
import { createSend, RETRY_MS, sentenceOf } from './api/exchange.ts';
import { createService } from './api/service.ts';
import { createComposer } from './editor/composer.ts';
import { createItemActions } from './list/item-actions.ts';
import { List } from './list/list.ts';
import { ListQuery } from './list/list-query.ts';
import { showList } from './list/list-view.ts';
import { createNavigation } from './list/navigation.ts';
import { showReference } from './reference/reference.ts';
import { createRequestsPanel } from './requests/requests.ts';
import { parseJson } from './shared/json.ts';
import { announce, find, setText, showMessage } from './shared/page.ts';

const send = createSend(createRequestsPanel());

/** The prefix of all paths. Only the page's own path shows the prefix that a gateway adds. */
const base = location.pathname.replace(/\/$/, '');
const link = find('document', HTMLAnchorElement);
link.href = `${base}/${link.getAttribute('href')}`;

/** Fetches the API document. Retries until it succeeds. */
async function load(): Promise<unknown> {
  const headers: [string, string][] = [['Accept', 'application/json']];
  try {
    const { text } = await send({ method: 'GET', path: link.pathname, headers });
    showMessage('');
    return parseJson(text);
  } catch (error) {
    showMessage(`${sentenceOf(error)} Trying again\u2026`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return load();
  }
}

async function start(): Promise<void> {
  const api = readDocument(await load(), base);
  document.title = api.title;
  setText(find('service', HTMLElement), `${api.title} \u00b7 ${api.version}`);
  showReference(send, api);
  const service = createService(api, send);
  const list = new List(service, new ListQuery(service, location.search));
  const actions = createItemActions(service, list);
  createComposer(service, actions.created);
  showList(service, list, actions);
  createNavigation(service, list);

  const live = find('live', HTMLElement);
  function streamChanged(isLive: boolean, reason: string): void {
    if (isLive && list.isOffline) announce('The connection is back.');
    list.isOffline = !isLive;
    live.dataset.is = isLive ? 'live' : 'offline';
    setText(live, isLive ? 'Live' : 'No connection');
    find('banner', HTMLElement).hidden = isLive;
    setText(find('banner', HTMLElement), `${reason} Trying again\u2026`);
  }

  find('message-close', HTMLElement).addEventListener('click', () => showMessage(''));
  if (service.events === undefined) setText(live, 'No live updates');
  else followEvents(send, service.events, (event) => list.applyEvent(event), streamChanged);
  await list.load();
}

start().catch((error) => showMessage(sentenceOf(error)));
