import type { Field } from '../api/item-field.ts';
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
  { title, creatable, create, words }: Service,
  onCreated: (items: readonly Item[]) => void,
): void {
  const others = creatable.filter((field) => field !== title);
  const label = `New ${words.one}`;
  const isTyped = ({ kind, choices }: Field) => kind === 'text' && choices.length === 0;
  const fields = new FieldsForm([
    ...(title ? [{ ...title, label, isLong: true }] : []),
    // Fields without a choice are not sent, so they get their defaults.
    ...others.map((field) => (isTyped(field) ? field : { ...field, isNullable: true })),
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

  const titleText = () => String(fields.values[title?.name ?? ''] ?? '');
  const titled = (text: string) => (title ? { [title.name]: text } : {});

  /** Creates an item per line. Empty fields are not sent, so they get the service's defaults. */
  async function submit(): Promise<void> {
    const typed = jsonOf(fields.values);
    const all = linesOf(titleText());
    const { changes } = fields;
    const created: Item[] = [];
    try {
      while (created.length < all.length) {
        const left = all.slice(created.length).map((line) => ({ ...changes, ...titled(line) }));
        created.push(...(await create(left)));
      }
      if (jsonOf(fields.values) === typed) fields.fill({});
      if (form.contains(document.activeElement)) fields.focus();
    } catch (error) {
      const rest = { ...changes, ...titled(all.slice(created.length).join('\n')) };
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
  // Without a title, the other fields are all that there is.
  open(title === undefined);
  form.ariaLabel = label;
  onSubmit(form, async () => {
    await whileBusy(add, submit);
    countLines();
  });
}
