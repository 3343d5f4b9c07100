import { Api } from './api/api.ts';
import { App } from './app.ts';
import { RequestsPanel } from './requests/requests-panel.ts';

const panel = new RequestsPanel();
new App(new Api((exchange) => panel.add(exchange))).start();
