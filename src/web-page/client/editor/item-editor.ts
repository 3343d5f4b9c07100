import { statusOf } from '../api/exchange.ts';
import type { Values } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { button, type Child, element, termOf } from '../shared/dom.ts';
import { jsonOf } from '../shared/json.ts';
import { onSubmit, whileBusy } from '../shared/page.ts';
import type { Composer } from './composer.ts';
import { FieldsForm } from './fields-form.ts';

/** The form that edits an item in its row. */
export type Editor = Awaited<ReturnType<typeof openEditor>>;

/**
 * Fetches an item and creates its editor. Saving succeeds only if the item still has the same
 * entity tag. Otherwise the user sees the difference, and decides.
 * @param close called with the item if it was saved
 * @throws RequestError if the item cannot be fetched
 */
export async function openEditor(
  service: Service,
  composer: Composer,
  id: string,
  close: (saved?: Item) => void,
) {
  const fields = new FieldsForm(service.editable);
  const notice = element('div', { class: 'notice', role: 'alert', tabindex: -1, hidden: true });
  const save = element('button', { class: 'primary' }, 'Save');
  const form = element(
    'form',
    { class: 'editor', novalidate: true, 'aria-label': `Edit item ${id}` },
    element('div', { class: 'fields' }, ...fields.elements()),
    notice,
    fields.general,
    element('div', { class: 'bar' }, save, button({}, close, 'Cancel')),
  );
  /** The item that the fields were filled from. Without a tag, it is fetched before a save. */
  let base = await service.fetchItem(id);
  /** True after a save without a response, which may have been made. */
  let isUnsure = false;

  const isUnchanged = () => Object.keys(fields.changes).length === 0;

  /** Shows how the item differs from `base`. @returns true if it does not */
  function isStill(current: Item): boolean {
    const isSame = service.differences(base, current).length === 0;
    const wanted = Object.entries({ ...base.values, ...fields.changes });
    if (isUnsure && wanted.every(([name, value]) => current.values[name] === value)) {
      close(current);
      return false;
    }
    if (isSame) base = current;
    else showChanged(current);
    return isSame;
  }

  const isCurrent = async () => isStill(await service.fetchItem(id));

  async function submit(): Promise<void> {
    if (!notice.hidden) notice.focus();
    else if (!fields.check()) return;
    else if (isUnchanged()) close();
    else await whileBusy(save, 'Saving\u2026', send);
  }

  async function send(): Promise<void> {
    try {
      if (base.tag !== undefined || (await isCurrent())) await saveCurrent();
    } catch (error) {
      const status = statusOf(error);
      if (status === 404) return showDeleted();
      fields.showError(error);
      if (status > 0 && status < 500) return;
      isUnsure = true;
      base = { ...base, tag: undefined };
      // If that fails, the next save fetches the item.
      await isCurrent().catch(() => {});
    }
  }

  async function saveCurrent(): Promise<void> {
    try {
      await patch();
    } catch (error) {
      if (statusOf(error) !== 412) throw error;
      // The item may have been changed back.
      if (await isCurrent()) await patch();
    }
  }

  async function patch(): Promise<void> {
    const typed = jsonOf(fields.values);
    const saved = await service.patch(id, fields.changes, base.tag);
    if (jsonOf(fields.values) === typed) close(saved);
    else continueFrom(saved, fields.values);
  }

  function continueFrom(current: Item, changes: Values = {}): void {
    base = current;
    fields.fill(current.values, changes);
    notice.hidden = true;
  }

  function showChanged(theirs: Item): void {
    const accept = (changes: Values) => {
      continueFrom(theirs, changes);
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

  fields.fill(base.values);
  onSubmit(form, submit);
  form.addEventListener('keydown', ({ key, isComposing }) => {
    if (key === 'Escape' && !isComposing) close();
  });
  return {
    element: form,
    focus: () => fields.focus(),
    /** Closes the editor unless something has been changed. */
    leave: () => isUnchanged() && close(),
    /** The item was changed, or deleted if undefined, possibly by this editor. */
    itemChanged(changed?: Item) {
      if (save.ariaBusy === 'true') return;
      if (changed === undefined) showDeleted();
      else if (service.differences(base, changed).length > 0) isStill(changed);
    },
  };
}
