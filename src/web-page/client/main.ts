import { readDocument } from './api/document.ts';
import { followEvents, type StreamState } from './api/event-stream.ts';
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

const STREAM_TEXTS: Readonly<Record<StreamState, string>> = {
  live: 'Live',
  offline: 'No connection',
  off: 'No live updates',
};

const send = createSend(createRequestsPanel());

/** The prefix of all paths. Only the page's own path shows the prefix that a gateway adds. */
const base = location.pathname.replace(/\/$/, '');
const link = find('document', HTMLAnchorElement);
const path = `${base}/${link.getAttribute('href')}`;
link.href = path;

async function load(): Promise<string> {
  try {
    const { text } = await send({ method: 'GET', path, headers: [['Accept', 'application/json']] });
    return text;
  } catch (error) {
    showMessage(`${sentenceOf(error)} Trying again\u2026`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    const text = await load();
    showMessage('');
    return text;
  }
}

async function start(): Promise<void> {
  const text = await load();
  const api = readDocument(parseJson(text), base);
  document.title = api.title;
  setText(find('service', HTMLElement), `${api.title} \u00b7 ${api.version}`);
  showReference(send, api);
  const service = createService(api, send);
  const list = new List(service, new ListQuery(service, location.search));
  const actions = createItemActions(service, list);
  const composer = createComposer(service, actions.created);
  showList(service, list, actions, composer);
  createNavigation(service, list);

  async function streamChanged(state: StreamState, reason = ''): Promise<void> {
    setText(find('live', HTMLElement), STREAM_TEXTS[state]);
    document.documentElement.dataset.live = state;
    const wasOffline = list.isOffline;
    list.isOffline = state === 'offline';
    find('banner', HTMLElement).hidden = !list.isOffline;
    if (list.isOffline) setText(find('banner-text', HTMLElement), `${reason} Trying again\u2026`);
    if (list.isOffline || !wasOffline) return;
    list.refresh();
    announce('The connection is back.');
    // The service may have another version by now.
    if ((await load()) !== text)
      showMessage('The service has been updated. Reload this page to see the changes.');
  }

  find('message-close', HTMLElement).addEventListener('click', () => {
    showMessage('');
    composer.focus();
  });
  if (service.events === undefined) await streamChanged('off');
  else followEvents(send, service.events, (event) => list.applyEvent(event), streamChanged);
  await list.load();
}

start().catch((error) => showMessage(sentenceOf(error)));
