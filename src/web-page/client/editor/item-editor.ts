import { statusOf } from '../api/api-request.ts';
import type { Values } from '../api/item-field.ts';
import type { Item, Service } from '../api/service.ts';
import { button, element, termAndDescription } from '../shared/dom.ts';
import { unmarked } from '../shared/json.ts';
import { focusList, onSubmit, whileBusy } from '../shared/page.ts';
import { FieldsForm } from './fields-form.ts';

/**
 * Fetches an item and opens a dialog to edit it, unless the focus has moved meanwhile. Saving
 * succeeds only if the item still has the same entity tag. Otherwise the user sees the difference,
 * and decides.
 * @throws RequestError if the item cannot be fetched
 */
export async function openEditor(service: Service, id: string, onSaved: () => void): Promise<void> {
  const { one } = service.words;
  const focused = document.activeElement;
  let base = await service.fetchItem(id);
  const fields = new FieldsForm(service.editable);
  const controls = element('fieldset', { class: 'fields' }, ...fields.elements);
  const notice = element('div', { class: 'notice', role: 'alert', tabindex: -1, hidden: true });
  const save = element('button', { class: 'primary' }, 'Save');
  const form = element(
    'form',
    {},
    element('h2', {}, `Edit ${one} ${id}`),
    controls,
    notice,
    fields.general,
    element('div', { class: 'bar' }, button({}, close, 'Cancel'), save),
  );
  const attributes = { 'aria-label': `Edit ${one} ${id}`, close: removeDialog };
  const dialog = element('dialog', attributes, form);

  function removeDialog(): void {
    dialog.remove();
    // The row with the button that opened the dialog may have been removed.
    if (document.activeElement === document.body) focusList();
  }

  function close(): void {
    dialog.close();
  }

  function closeSaved(): void {
    close();
    onSaved();
  }

  async function submit(): Promise<void> {
    // Until the user has decided which changes to keep.
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
      fields.showError(error);
      // Another client has changed the item, or it was saved before and the response was lost.
      if (statusOf(error) === 412) await service.fetchItem(id).then(compare, () => {});
    }
  }

  /**
   * Closes the editor if the item already has the user's values; else shows the differences. Without
   * any, another save may succeed, with the current tag.
   */
  function compare(current: Item): void {
    const expected = Object.entries({ ...base.values, ...fields.changes });
    if (expected.every(([name, value]) => current.values[name] === value)) closeSaved();
    else if (service.differences(base, current).length > 0) showChanged(current);
    else base = current;
  }

  function showChanged(theirs: Item): void {
    const facts = service
      .differences(base, theirs)
      .flatMap(({ name, label }) =>
        termAndDescription(
          label,
          element('bdi', {}, unmarked(theirs.values[name]) ?? String(theirs.values[name])),
        ),
      );
    const discard = button({}, () => continueFrom(theirs), 'Discard my changes');
    const keep = button({}, () => continueFrom(theirs, fields.changes), 'Keep my changes');
    notice.replaceChildren(
      element('p', {}, `This ${one} was changed while you were editing it. It now reads:`),
      element('dl', {}, ...facts),
      element('div', { class: 'bar' }, discard, keep),
    );
    fields.showViolations([]);
    notice.hidden = false;
    notice.focus();
  }

  function continueFrom(current: Item, changes: Values = {}): void {
    base = current;
    fields.fill(current.values, changes);
    notice.hidden = true;
    fields.focus();
  }

  fields.fill(base.values);
  onSubmit(form, submit);
  if (document.activeElement === focused) {
    document.body.append(dialog);
    dialog.showModal();
    fields.focus();
  }
}
