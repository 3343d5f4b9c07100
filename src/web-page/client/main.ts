import { Api } from './api/api.ts';
import { readDocument } from './api/document.ts';
import { sentenceOf } from './api/problem.ts';
import { Service } from './api/service.ts';
import { startApp } from './app.ts';
import { showReference } from './reference/reference.ts';
import { createRequestsPanel } from './requests/requests-panel.ts';
import { find, setText } from './shared/dom.ts';
import { parseJson } from './shared/json.ts';
import { showMessage } from './shared/status.ts';

/** How long to wait before asking for the API document again, in milliseconds. */
const RETRY_MS = 3_000;

const api = new Api(createRequestsPanel());

/** The path of the API document, from the link to it. */
const { pathname } = find('document', HTMLAnchorElement);

/** Loads the document until that works. */
async function load(): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { text } = await api.get(pathname);
      if (attempt > 1) showMessage('');
      return text;
    } catch (error) {
      showMessage(`${sentenceOf(error)} Trying again\u2026`);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function start(): Promise<void> {
  const text = await load();
  const service = new Service(readDocument(parseJson(text)));
  const { title, version } = service.document;
  document.title = title;
  setText(find('service', HTMLElement), `${title} \u00b7 ${version}`);
  showReference(api, service.document);
  startApp(api, service, async () => {
    if ((await load()) !== text)
      showMessage('The service has changed. Reload this page to see how.');
  });
}

start().catch((error) => showMessage(sentenceOf(error)));
