import { statusOf } from '../api/exchange.ts';
import type { Values } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { button, type Child, element, termOf } from '../shared/dom.ts';
import { jsonOf } from '../shared/json.ts';
import { onSubmit, whileBusy } from '../shared/page.ts';
import type { Composer } from './composer.ts';
import { FieldsForm } from './fields-form.ts';

/**
 * Edits an item in the list. Saving it succeeds only if it is as it was when editing began: by its
 * entity tag, or by its content where gateways spoil tags. If not, the user sees it, and decides.
 * @param settled resolves when earlier changes are done; until then, the item may be out of date
 * @param close called with the item if it was saved
 */
export function createEditor(
  service: Service,
  composer: Composer,
  item: Item,
  settled: Promise<unknown>,
  close: (saved?: Item) => void,
) {
  const fields = new FieldsForm(service.editable);
  const notice = element('div', { class: 'notice', role: 'alert', tabindex: -1, hidden: true });
  const save = element('button', { class: 'primary' }, 'Save');
  const form = element(
    'form',
    { class: 'editor', novalidate: true, 'aria-label': `Edit item ${item.id}` },
    element('div', { class: 'fields' }, ...fields.elements()),
    notice,
    fields.general,
    element('div', { class: 'bar' }, save, button({}, close, 'Cancel')),
  );
  /** The item that the fields were filled from. */
  let base = item;
  /** Whether a save has got no answer, so it may have been made. */
  let isUnsure = false;
  let request = new AbortController();
  let latest = fetchItem(true);

  /** Fetches the item with its entity tag, and shows what has become of it; gives up others. */
  function fetchItem(isFirst = false) {
    request.abort();
    request = new AbortController();
    const { signal } = request;
    const fetched = settled.then(async () => {
      const { text, headers } = await service.get(service.itemPath(item.id), signal);
      const theirs = service.readItem(text);
      if (isFirst && isUnchanged()) goOnFrom(theirs);
      if (isSaved(theirs)) close(theirs);
      else if (isDifferent(theirs)) showChanged(theirs);
      // A gateway that compresses makes a tag weak, which never matches, or drops it.
      return { theirs, tag: headers.get('ETag')?.replace(/^W\//, '') };
    });
    // Failures other than a deletion can wait until the item is needed.
    fetched.catch((error) => statusOf(error) === 404 && showDeleted());
    return fetched;
  }

  function goOnFrom(current: Item, changes: Values = {}): void {
    base = current;
    fields.fill(current.values, changes);
    notice.hidden = true;
  }

  const isUnchanged = () => Object.keys(fields.changes).length === 0;
  const isDifferent = (theirs: Item) => service.differences(base, theirs).length > 0;

  /** Whether an item is what a save without an answer was to make of it. */
  function isSaved({ values }: Item): boolean {
    const wanted = Object.entries({ ...base.values, ...fields.changes });
    return isUnsure && wanted.every(([name, value]) => values[name] === value);
  }

  async function submit(): Promise<void> {
    if (!notice.hidden) notice.focus();
    else if (!fields.check()) return;
    else if (isUnchanged()) close();
    else await whileBusy(save, 'Saving\u2026', send);
  }

  async function send(): Promise<void> {
    try {
      await saveUnchanged();
    } catch (error) {
      const status = statusOf(error);
      if (status === 404) showDeleted();
      else fields.showError(error);
      if (status > 0 && status < 500) return;
      isUnsure = true;
      latest = fetchItem();
    }
  }

  /** Saves if the entity tag matches; else fetches the item again, and compares its content. */
  async function saveUnchanged(): Promise<void> {
    latest = latest.catch(() => fetchItem());
    const { tag } = await latest;
    try {
      if (tag && notice.hidden) return await patch(tag);
    } catch (error) {
      if (statusOf(error) !== 412) throw error;
    }
    latest = fetchItem();
    const { theirs } = await latest;
    if (notice.hidden && !isSaved(theirs)) await patch();
  }

  async function patch(tag?: string): Promise<void> {
    const typed = jsonOf(fields.values);
    const saved = await service.patch(item.id, fields.changes, tag);
    if (jsonOf(fields.values) === typed) return close(saved);
    goOnFrom(saved, fields.values);
    latest = fetchItem();
  }

  function showChanged(theirs: Item): void {
    const accept = (changes: Values) => {
      goOnFrom(theirs, changes);
      fields.focus();
    };
    const facts = service
      .differences(base, theirs)
      .flatMap(({ name, label }) => termOf(label, element('bdi', {}, String(theirs.values[name]))));
    showNotice(
      'This item was changed while you were editing it. It now reads:',
      element('dl', {}, ...facts),
      button({}, () => accept({}), 'Discard my changes'),
      button({}, () => accept(fields.changes), 'Keep my changes'),
    );
  }

  function showDeleted(): void {
    const createAgain = () => {
      close();
      composer.fill(fields.values);
    };
    showNotice(
      'This item was deleted while you were editing it.',
      undefined,
      button({}, createAgain, 'Create it again'),
      button({}, close, 'Discard my changes'),
    );
  }

  function showNotice(text: string, more: Child, ...choices: readonly Node[]): void {
    const parts = [element('p', {}, text), more, element('div', { class: 'bar' }, ...choices)];
    const hadFocus = notice.contains(document.activeElement);
    notice.replaceChildren(element('div', {}, ...parts));
    fields.showViolations([]);
    notice.hidden = false;
    if (hadFocus) notice.focus();
    notice.scrollIntoView({ block: 'nearest' });
  }

  fields.fill(item.values);
  onSubmit(form, submit);
  form.addEventListener('keydown', ({ key, isComposing }) => {
    if (key === 'Escape' && !isComposing) close();
  });
  return {
    element: form,
    focus: () => fields.focus(),
    /** Closes the editor unless something has been changed. */
    leave: () => isUnchanged() && close(),
    /** The item was changed, or deleted if there is none, possibly by this editor. */
    itemChanged(changed?: Item) {
      if (save.ariaBusy === 'true') return;
      if (changed === undefined) showDeleted();
      else if (isSaved(changed)) close(changed);
      else if (isDifferent(changed)) latest = fetchItem();
    },
  };
}
