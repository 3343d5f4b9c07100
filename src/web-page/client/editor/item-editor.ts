import { statusOf } from '../api/exchange.ts';
import type { Values } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { button, type Child, element, termOf } from '../shared/dom.ts';
import { find, onSubmit, whileBusy } from '../shared/page.ts';
import type { Composer } from './composer.ts';
import { FieldsForm } from './fields-form.ts';

/** The dialog that edits an item. */
export type Editor = Awaited<ReturnType<typeof openEditor>>;

/**
 * Fetches an item and opens its editor, unless the focus has moved meanwhile. Saving succeeds only
 * if the item still has the same entity tag. Otherwise the user sees the difference, and decides.
 * @throws RequestError if the item cannot be fetched
 */
export async function openEditor(
  service: Service,
  composer: Composer,
  id: string,
  onSaved: () => void,
) {
  const focused = document.activeElement;
  let base = await service.fetchItem(id);
  const fields = new FieldsForm(service.editable);
  const controls = element('fieldset', { class: 'fields' }, ...fields.elements());
  const notice = element('div', { class: 'notice', role: 'alert', tabindex: -1, hidden: true });
  const save = element('button', { class: 'primary' }, 'Save');
  const form = element(
    'form',
    {},
    element('h2', {}, `Edit item ${id}`),
    controls,
    notice,
    fields.general,
    element('div', { class: 'bar' }, button({}, close, 'Cancel'), save),
  );
  const attributes = { 'aria-label': `Edit item ${id}`, close: removeDialog };
  const dialog = element('dialog', attributes, form);

  function removeDialog(): void {
    dialog.remove();
    // The row with the button that opened the dialog may have been removed.
    if (document.activeElement === document.body) find('items', HTMLElement).focus();
  }

  function close(): void {
    dialog.close();
  }

  function closeSaved(): void {
    close();
    onSaved();
  }

  async function submit(): Promise<void> {
    if (!notice.hidden) notice.focus();
    else if (Object.keys(fields.changes).length === 0) close();
    else await whileBusy(save, send);
  }

  async function send(): Promise<void> {
    controls.disabled = true;
    try {
      await service.patch(id, fields.changes, base.tag);
      closeSaved();
    } catch (error) {
      controls.disabled = false;
      const status = statusOf(error);
      if (status === 404) return showDeleted();
      fields.showError(error);
      // Another client has changed the item, or the item was saved but the response was lost.
      const isUnsure = status === 412 || status === 0 || status >= 500;
      if (isUnsure) await service.fetchItem(id).then(compare, () => {});
    }
  }

  /** Closes the editor if the item already has the user's values; else shows the differences. */
  function compare(current: Item): void {
    const wanted = Object.entries({ ...base.values, ...fields.changes });
    if (wanted.every(([name, value]) => current.values[name] === value)) closeSaved();
    else if (service.differences(base, current).length > 0) showChanged(current);
    else base = current;
  }

  function continueFrom(current: Item, changes: Values = {}): void {
    base = current;
    fields.fill(current.values, changes);
    notice.hidden = true;
    fields.focus();
  }

  function showChanged(theirs: Item): void {
    const facts = service
      .differences(base, theirs)
      .flatMap(({ name, label }) => termOf(label, element('bdi', {}, String(theirs.values[name]))));
    showNotice(
      'This item was changed while you were editing it. It now reads:',
      element('dl', {}, ...facts),
      button({}, () => continueFrom(theirs), 'Discard my changes'),
      button({}, () => continueFrom(theirs, fields.changes), 'Keep my changes'),
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
      button({}, close, 'Discard my changes'),
      button({}, createAgain, 'Create it again'),
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
  if (document.activeElement === focused) {
    document.body.append(dialog);
    dialog.showModal();
    fields.focus();
  }
  return {
    /** Called when an item was changed, or deleted (undefined), possibly by this editor. */
    itemChanged(changedId: string, changed?: Item): void {
      if (changedId !== id || save.ariaBusy === 'true') return;
      if (changed === undefined) showDeleted();
      else if (service.differences(base, changed).length > 0) compare(changed);
    },
  };
}
