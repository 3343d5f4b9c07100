import { statusOf } from '../api/api-request.ts';
import { confirmAction } from '../list/confirm-dialog.ts';
import { button, element } from '../shared/dom.ts';
import { type JsonRecord, listOf, parseJson, recordOf, textOf } from '../shared/json.ts';
import {
  announce,
  copyText,
  find,
  itemsText,
  onSubmit,
  setText,
  whileBusy,
} from '../shared/page.ts';
import type { Admin } from './admin.ts';
import { listNamesIn } from './list-names.ts';

/**
 * Shows the lists with names, makes and removes them.
 * @param serviceBase the path prefix of the list without a name
 * @returns a function that reads them again, which never rejects
 */
export function createListsPanel(admin: Admin, serviceBase: string): () => Promise<void> {
  const list = find('named-lists', HTMLUListElement);
  const input = find('list-names', HTMLTextAreaElement);
  const make = find('make-lists', HTMLButtonElement);
  const copy = find('copy-links', HTMLButtonElement);
  const links = find('list-links');
  let shown = '';

  const pathOf = (name: string) => `${serviceBase}/lists/${name}/`;

  async function read(): Promise<void> {
    const { text } = await admin.read('lists');
    if (text === shown) return;
    shown = text;
    const lists = listOf(parseJson(text)).map(recordOf);
    const focused = list.contains(document.activeElement) && document.activeElement?.ariaLabel;
    list.replaceChildren(
      element('li', {}, linkTo(`${serviceBase}/`, 'The list without a name')),
      ...lists.map(listRow),
    );
    if (focused) list.querySelector<HTMLElement>(`[aria-label="${focused}"]`)?.focus();
    setText(links, lists.map(({ name }) => location.origin + pathOf(textOf(name))).join('\n'));
    copy.hidden = lists.length === 0;
    const count = lists.length === 1 ? '1 list has a name.' : `${lists.length} lists have names.`;
    setText(find('lists-state'), `${count} Each has its own items and conditions.`);
  }

  function linkTo(path: string, name: string): HTMLElement {
    const isHere = path.replace(/\/$/, '') === location.pathname.replace(/\/$/, '');
    const attributes = { href: path, rel: 'noopener', 'aria-current': isHere && 'page' };
    return element('a', { ...attributes, 'aria-label': name }, name);
  }

  function listRow({ name: json, items, lastRequestAt }: JsonRecord): HTMLElement {
    const name = textOf(json);
    const moment = textOf(lastRequestAt);
    const last = moment === '' ? 'no request yet' : new Date(moment).toLocaleString();
    const facts = element('span', { class: 'small' }, `${itemsText(Number(items))} \u00b7 ${last}`);
    const remove = button({ class: 'quiet', 'aria-label': `Remove ${name}` }, removeIt, 'Remove');

    async function removeIt(): Promise<void> {
      const text = 'Its items, conditions and traffic go, and its clients get 404.';
      if (!(await confirmAction(`Remove the list ${name}?`, text, `Remove ${name}`))) return;
      await admin.run(() => admin.change('DELETE', `lists/${name}`));
      await refresh();
      announce(`Removed: ${name}`);
      list.focus();
    }

    return element('li', { class: 'between' }, linkTo(pathOf(name), name), facts, remove);
  }

  /** Makes the lists that do not exist, one after the other. The others keep their items. */
  async function makeAll(): Promise<void> {
    let made = 0;
    try {
      for (const name of listNamesIn(input.value)) {
        try {
          await admin.makeList(name);
          made++;
        } catch (error) {
          if (statusOf(error) !== 412) throw error;
        }
      }
      input.value = '';
      showNames();
    } finally {
      announce(made === 1 ? 'Made: 1 list' : `Made: ${made} lists`);
      await refresh();
    }
  }

  function showNames(): void {
    const names = listNamesIn(input.value);
    setText(make, names.length > 1 ? `Make ${names.length} lists` : 'Make a list');
    setText(find('names-hint'), names.join(', '));
  }

  const refresh = () => read().catch(() => undefined);

  onSubmit(find('lists-form', HTMLFormElement), () => whileBusy(make, () => admin.run(makeAll)));
  input.addEventListener('input', showNames);
  copy.addEventListener('click', () => copyText(links, copy));
  return refresh;
}
