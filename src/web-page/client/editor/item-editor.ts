import { statusOf } from '../api/exchange.ts';
import type { Values } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { button, type Child, element, termOf } from '../shared/dom.ts';
import { onSubmit, whileBusy } from '../shared/page.ts';
import type { Composer } from './composer.ts';
import { FieldsForm } from './fields-form.ts';

/**
 * Edits an item in its place in the list. Saving succeeds only if the item is as it was when
 * editing began (`If-Match`). If somebody else has changed it, the user sees what, and decides.
 * @param item the item as the list has it, which may be out of date
 * @param settled resolves when earlier changes to the item are done
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
  const notice = element('div', { class: 'notice', role: 'alert', hidden: true });
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
  let tag = fetchTag(true);

  /** Fetches the item, shows what has become of it, and resolves to its entity tag. */
  function fetchTag(isFirst = false): Promise<string> {
    const fetched = settled.then(async () => {
      const { text, headers } = await service.get(service.itemPath(item.id));
      const theirs = service.readItem(text);
      if (isFirst && Object.keys(fields.changes).length === 0) {
        base = theirs;
        fields.fill(theirs.values);
      }
      if (isDifferent(theirs)) showChanged(theirs);
      return headers.get('ETag') ?? '';
    });
    // Failures other than a deletion can wait until the tag is needed.
    fetched.catch((error) => statusOf(error) === 404 && showDeleted());
    return fetched;
  }

  const isDifferent = (theirs: Item) => service.differences(base, theirs).length > 0;

  function submit(): void {
    if (!notice.hidden) notice.querySelector('button')?.focus();
    else if (!fields.check()) return;
    else if (Object.keys(fields.changes).length === 0) close();
    else whileBusy(save, 'Saving\u2026', send);
  }

  async function send(): Promise<void> {
    try {
      tag = tag.catch(() => fetchTag());
      const current = await tag;
      if (notice.hidden) close(await service.patch(item.id, fields.changes, current));
    } catch (error) {
      const status = statusOf(error);
      if (status === 412) tag = fetchTag();
      else if (status === 404) showDeleted();
      else fields.showError(error);
    }
  }

  function showChanged(theirs: Item): void {
    const accept = (changes: Values) => {
      fields.fill(theirs.values, changes);
      base = theirs;
      notice.hidden = true;
      fields.focus();
    };
    const facts = service
      .differences(base, theirs)
      .flatMap(({ name, label }) => termOf(label, element('bdi', {}, String(theirs.values[name]))));
    showNotice(
      'Someone else changed this item while you were editing. It now reads:',
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
      'Someone else deleted this item while you were editing.',
      undefined,
      button({}, createAgain, 'Create it again'),
      button({}, close, 'Discard my changes'),
    );
  }

  function showNotice(text: string, more: Child, ...choices: readonly Node[]): void {
    const parts = [element('p', {}, text), more, element('div', { class: 'bar' }, ...choices)];
    notice.replaceChildren(element('div', {}, ...parts));
    fields.showViolations([]);
    notice.hidden = false;
    notice.scrollIntoView({ block: 'nearest' });
  }

  fields.fill(item.values);
  onSubmit(form, submit);
  form.addEventListener('keydown', ({ key }) => key === 'Escape' && close());
  return {
    id: item.id,
    element: form,
    focus: () => fields.focus(),
    /** The item was changed, or deleted if there is none, possibly by this editor. */
    itemChanged(changed?: Item) {
      if (save.ariaBusy === 'true') return;
      if (changed === undefined) showDeleted();
      else if (isDifferent(changed)) tag = fetchTag();
    },
  };
}
