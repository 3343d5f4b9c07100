import type { Item, Service } from '../api/service.ts';
import { element, setAttributes } from '../shared/dom.ts';
import { jsonOf } from '../shared/json.ts';
import { createDisclosure, find, itemsText, onSubmit, setText, whileBusy } from '../shared/page.ts';
import { FieldsForm } from './fields-form.ts';
import { linesOf } from './lines.ts';

const ADVICE = 'Enter adds it. Of several lines, as in a pasted list, each becomes an item.';

/**
 * Creates the form for a new item, or for an item per line of a pasted list. A button shows the
 * other fields.
 */
export function createComposer(
  { title, creatable, create }: Service,
  onCreated: (items: readonly Item[]) => void,
): void {
  const others = creatable.filter(({ name }) => name !== title.name);
  const fields = new FieldsForm([
    { ...title, label: 'New item', isLong: true },
    // Fields without a choice are not sent, so they get their defaults.
    ...others.map((field) => (field.kind === 'text' ? field : { ...field, isNullable: true })),
  ]);
  const [head, ...more] = fields.elements;
  const attributes = { class: 'fields', id: 'details', reveal: () => open(true) };
  const details = element('div', attributes, ...more);
  const controls = { type: 'button', class: 'quiet', 'aria-controls': 'details' };
  const toggle = element('button', controls, 'Details');
  const open = createDisclosure(toggle, details);
  const add = element('button', { class: 'primary' }, 'Add');
  const form = find('composer', HTMLFormElement);
  form.replaceChildren(
    element('div', { class: 'bar line' }, head, toggle, add),
    details,
    fields.general,
  );

  const titleText = () => String(fields.values[title.name]);

  /** Creates an item per line. Empty fields are not sent, so they get the service's defaults. */
  async function submit(): Promise<void> {
    const typed = jsonOf(fields.values);
    const all = linesOf(titleText());
    const { changes } = fields;
    const created: Item[] = [];
    try {
      while (created.length < all.length) {
        const left = all.slice(created.length).map((line) => ({ ...changes, [title.name]: line }));
        created.push(...(await create(left)));
      }
      if (jsonOf(fields.values) === typed) fields.fill({});
      if (form.contains(document.activeElement)) fields.focus();
    } catch (error) {
      const rest = { ...changes, [title.name]: all.slice(created.length).join('\n') };
      if (jsonOf(fields.values) === typed) fields.fill({}, rest);
      fields.showError(error);
    }
    if (created.length > 0) onCreated(created);
  }

  function countLines(): void {
    const { length } = linesOf(titleText());
    setText(add, length > 1 ? `Add ${itemsText(length)}` : 'Add');
  }

  const lines = head?.querySelector('textarea');
  if (lines) setAttributes(lines, { rows: 1, enterkeyhint: 'done', title: ADVICE });
  form.addEventListener('input', countLines);
  open(false);
  onSubmit(form, async () => {
    await whileBusy(add, submit);
    countLines();
  });
}
