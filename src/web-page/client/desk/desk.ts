import { createMasks } from '../../../lib/masks.ts';
import type { PageData } from '../../page-data.ts';
import { type ApiRequest, createSend, type Exchange } from '../api/api-request.ts';
import type { Service } from '../api/service.ts';
import type { OutcomeBar } from '../list/outcome-bar.ts';
import { withoutToken } from '../requests/curl.ts';
import { createDisclosure, find, onSubmit } from '../shared/page.ts';
import { Admin } from './admin.ts';
import { type AdminToken, TOKEN_FIELD } from './admin-token.ts';
import { PAGE_FIELD } from './conditions.ts';
import { createConditionsPanel } from './conditions-panel.ts';
import { followJournal } from './follow-journal.ts';
import { createListsPanel } from './lists-panel.ts';
import { createResetPanel } from './reset-panel.ts';
import { createTabs } from './tabs.ts';
import { createTraffic, WIDE } from './traffic.ts';

/** The pause between readings of the lists while they are shown, in milliseconds. */
const LISTS_MS = 5000;

/** Creates the traffic, and the page's `Send`, whose requests appear in it without secrets. */
export function createOwnTraffic({ fields }: PageData, token: AdminToken) {
  const traffic = createTraffic();
  const masks = createMasks(fields.map(({ name }) => name));
  const shown = ({ path, headers, ...request }: ApiRequest): ApiRequest => ({
    ...request,
    path: masks.target(path),
    headers: headers.map(withoutToken).map(([name, value]) => {
      return [name, value === TOKEN_FIELD[1] ? value : masks.field(name, value)];
    }),
  });
  /** By these fields, faults and the journal know the requests of the page. */
  const prepare = (headers: Headers, { id }: Exchange) => {
    headers.set(...PAGE_FIELD);
    headers.set('X-Request-Id', id);
    token.authorize(headers);
  };
  const send = createSend(traffic.add, prepare, shown);
  const sendUnseen = createSend(() => () => {}, prepare);
  return { traffic, send, sendUnseen };
}

/** Creates the desk: the traffic, the conditions, the reset and the lists of the service. */
export function createDesk(
  { isControlled, faultPath, maxSeedBytes }: PageData,
  base: string,
  token: AdminToken,
  service: Service,
  bar: OutcomeBar,
  { traffic, send, sendUnseen }: ReturnType<typeof createOwnTraffic>,
): void {
  const admin = new Admin(base, token, isControlled, send, sendUnseen);
  const body = find('desk-body');
  const toggle = find('desk-toggle', HTMLButtonElement);
  const input = find('token', HTMLInputElement);
  const readFaults = createConditionsPanel(admin, faultPath);
  const readLists = createListsPanel(admin, token.serviceBase);
  createResetPanel(admin, service, bar, maxSeedBytes);

  /** Shows how to get access, or the present state. */
  function refresh(panel: string): void {
    find('desk-panels').dataset.access = admin.access;
    if (admin.access !== 'open') return;
    void (panel === 'lists-panel' ? readLists() : readFaults());
  }

  const shownPanel = createTabs('desk-tabs', refresh);
  createDisclosure(toggle, body)(matchMedia(WIDE).matches);
  const isShown = () => !body.hidden;
  const follow = followJournal(admin, isShown, (entries, isOther) => {
    traffic.record(entries, isOther);
    void readFaults();
  });
  toggle.addEventListener('click', follow);
  admin.addEventListener('access', () => refresh(shownPanel()));
  onSubmit(find('access', HTMLFormElement), () => {
    if (input.value !== '') token.set(input.value);
    input.value = '';
  });
  setInterval(() => {
    if (!document.hidden && isShown() && shownPanel() === 'lists-panel') refresh('lists-panel');
  }, LISTS_MS);
}
