import { button, element } from '../shared/dom.ts';
import { linesJson, MARK, parseJson } from '../shared/json.ts';
import { announce, copyText, find, setShown, setText, whileBusy } from '../shared/page.ts';
import type { Admin } from './admin.ts';
import {
  CONDITIONS,
  faultsIn,
  faultsOf,
  hitsOf,
  type Part,
  type Situation,
  situationOf,
  withCondition,
} from './conditions.ts';

/** The conditions under which open event streams end. */
const ENDING_STREAMS = ['offline', 'down'];

const NORMAL: Situation = { isPageSpared: false, parts: [] };

/**
 * Shows the conditions of the list, and sets them.
 * @param path the path of all items, as faults have it
 * @returns a function that reads them again, which never rejects
 */
export function createConditionsPanel(admin: Admin, path: string): () => Promise<void> {
  let situation = NORMAL;
  /** The number of changes under way, during which the switches show what the user has set. */
  let changing = 0;
  const spare = find('spare-page', HTMLInputElement);
  const json = find('faults-json');
  const endAll = find('end-conditions', HTMLButtonElement);
  const copy = find('copy-faults', HTMLButtonElement);
  const rows = CONDITIONS.map(conditionRow);

  const situationIn = (text: string) => situationOf(faultsIn(parseJson(text, MARK)), path);
  const read = async () => situationIn((await admin.read('faults')).text);

  /** Reads the faults, since another client may have set them, and changes them. */
  async function set(change: (before: Situation) => Situation): Promise<void> {
    changing++;
    await admin.run(async () => {
      const before = await read();
      const after = change(before);
      await admin.change('PUT', 'faults', `{"faults":${linesJson(faultsOf(after))}}`);
      announce(stateOf(after));
      const isNew = ({ condition }: Part) =>
        condition !== undefined &&
        ENDING_STREAMS.includes(condition.name) &&
        !before.parts.some((part) => part.condition === condition);
      if (after.parts.some(isNew)) await admin.change('DELETE', 'streams');
    });
    changing--;
    await refresh();
  }

  /** Shows the faults of the service, and if they cannot be read, the last ones. */
  async function refresh(): Promise<void> {
    situation = await read().catch(() => situation);
    // The last change shows them.
    if (changing === 0) show();
  }

  const without = (isEnded: (part: Part) => boolean) =>
    set(({ parts, ...rest }) => ({ ...rest, parts: parts.filter((part) => !isEnded(part)) }));

  function show(): void {
    const { isPageSpared, parts } = situation;
    for (const row of rows) row.show();
    spare.checked = isPageSpared;
    const others = parts.filter(({ condition }) => condition === undefined);
    find('other-faults').replaceChildren(...others.map(otherRow));
    setShown(find('others'), others.length > 0);
    setText(find('conditions-count'), String(parts.length || ''));
    setText(find('conditions-state'), stateOf(situation));
    endAll.disabled = copy.disabled = parts.length === 0;
    // A test has no use for the exception of this page.
    setText(json, linesJson(faultsOf({ ...situation, isPageSpared: false })));
  }

  function otherRow(part: Part): HTMLElement {
    const words = linesJson(faultsOf({ ...NORMAL, parts: [part] })).slice(1, -1);
    const isIt = (each: Part) => linesJson(faultsOf({ ...NORMAL, parts: [each] })).includes(words);
    const text = element('span', { class: 'mono' }, words);
    const end = { class: 'quiet', 'aria-label': `End ${words}` };
    const hits = element('b', { class: 'small' }, hitsText(part));
    return element(
      'li',
      { class: 'between' },
      text,
      hits,
      button(end, () => without(isIt), 'End'),
    );
  }

  function conditionRow(condition: (typeof CONDITIONS)[number]) {
    const row = find(condition.name);
    const toggle = row.querySelector('input');
    const select = row.querySelector('select');
    const turnOn = () =>
      set((before) => withCondition(before, condition, Number(select?.value ?? 0), path));
    toggle?.setAttribute('role', 'switch');
    toggle?.addEventListener('change', () =>
      toggle.checked ? turnOn() : without((part) => part.condition === condition),
    );
    select?.addEventListener('change', () => toggle?.checked && turnOn());
    return {
      show(): void {
        const part = situation.parts.find((each) => each.condition === condition);
        if (toggle) toggle.checked = part !== undefined;
        for (const hits of row.querySelectorAll('b')) setText(hits, part ? hitsText(part) : '');
        if (part === undefined || !select) return;
        const value = String(part.choice);
        select.value = value;
        // A value that another client has chosen gets an option of its own.
        const text = condition.member.endsWith('Ms') ? `${value} ms` : value;
        if (select.value !== value) select.add(new Option(text, value, true, true));
      },
    };
  }

  endAll.addEventListener('click', () => whileBusy(endAll, () => set(() => NORMAL)));
  copy.addEventListener('click', () => copyText(json, copy));
  spare.addEventListener('change', () => {
    const isPageSpared = spare.checked;
    return set(({ parts }) => ({ isPageSpared, parts }));
  });
  return refresh;
}

function stateOf({ parts: { length }, isPageSpared }: Situation): string {
  if (length === 0) return 'The service responds normally.';
  const state = length === 1 ? '1 condition is on' : `${length} conditions are on`;
  return isPageSpared ? `${state}, but not for this page.` : `${state}.`;
}

function hitsText(part: Part): string {
  const hits = hitsOf(part);
  return `${hits.toLocaleString('en')} ${hits === 1 ? 'hit' : 'hits'}`;
}
