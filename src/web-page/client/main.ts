import { readDocument } from './api/document.ts';
import { createSend, sentenceOf } from './api/exchange.ts';
import { createService } from './api/service.ts';
import { startApp } from './app.ts';
import { showReference } from './reference/reference.ts';
import { createRequestsPanel } from './requests/requests.ts';
import { parseJson } from './shared/json.ts';
import { find, setText, showMessage } from './shared/page.ts';

/** How long to wait before asking for the API document again, in milliseconds. */
const RETRY_MS = 3_000;

const send = createSend(createRequestsPanel());

/** The path of the API document, from the link to it. */
const { pathname: path } = find('document', HTMLAnchorElement);

/** Loads the document, however often that takes. */
async function load(): Promise<string> {
  try {
    const { text } = await send({ method: 'GET', path, headers: [['Accept', 'application/json']] });
    showMessage('');
    return text;
  } catch (error) {
    showMessage(`${sentenceOf(error)} Trying again\u2026`);
  }
  await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  return load();
}

async function start(): Promise<void> {
  const text = await load();
  const document = readDocument(parseJson(text));
  const { title, version } = document;
  globalThis.document.title = title;
  setText(find('service', HTMLElement), `${title} \u00b7 ${version}`);
  showReference(send, document);
  startApp(createService(document, send), async () => {
    if ((await load()) !== text)
      showMessage('The service has been updated. Reload this page to see the changes.');
  });
}

start().catch((error) => showMessage(sentenceOf(error)));
