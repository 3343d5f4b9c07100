import { button, element } from '../shared/dom.ts';
import { linesOf, MARK, parseJson } from '../shared/json.ts';
import { announce, copyText, find, setShown, setText, whileBusy } from '../shared/page.ts';
import type { Admin } from './admin.ts';
import {
  CONDITIONS,
  type Condition,
  type Fault,
  type Faults,
  faultsIn,
  type Part,
  SPARING,
  situationOf,
  textOf,
  without,
} from './conditions.ts';

/**
 * Shows the conditions of the list, and sets them.
 * @param path the path of all items, as faults have it
 * @returns a function that reads them again, which never rejects
 */
export function createConditionsPanel(admin: Admin, path: string): () => Promise<void> {
  let faults: Faults = [];
  /** The number of changes under way, during which the switches show what the user has set. */
  let changing = 0;
  const spare = find('spare-page', HTMLInputElement);
  const json = find('faults-json');
  const endAll = find('end-conditions', HTMLButtonElement);
  const copy = find('copy-faults', HTMLButtonElement);
  const rows = CONDITIONS.map(conditionRow);

  const situationIn = (list: Faults) => situationOf(list, path);
  const read = async () => faultsIn(parseJson((await admin.read('faults')).text, MARK));

  /**
   * Reads the faults, since another client may have set them, removes some, and adds others before
   * all but the one that spares the page, so that they act whatever follows.
   * @param endsStreams whether open event streams end
   */
  async function replace(
    removedFrom: (before: Faults) => Faults,
    added: Faults = [],
    endsStreams = false,
  ): Promise<void> {
    changing++;
    await admin.run(async () => {
      const before = await read();
      const kept = without(before, removedFrom(before));
      const { sparing } = situationIn(kept);
      const after = [...sparing, ...added, ...without(kept, sparing)];
      await admin.change('PUT', 'faults', `{"faults":${linesOf(after.map(textOf))}}`);
      announce(stateOf(situationIn(after)));
      if (endsStreams) await admin.change('DELETE', 'streams');
    });
    changing--;
    await refresh();
  }

  /** Shows the faults of the service, and if they cannot be read, the last ones. */
  async function refresh(): Promise<void> {
    faults = await read().catch(() => faults);
    // The last change shows them.
    if (changing === 0) show();
  }

  function show(): void {
    const situation = situationIn(faults);
    const { parts, sparing, others } = situation;
    const count = parts.size + others.length;
    for (const row of rows) row.show(parts.get(row.name));
    spare.checked = sparing.length > 0;
    find('other-faults').replaceChildren(...others.map(otherRow));
    setShown(find('others'), others.length > 0);
    setText(find('conditions-count'), String(count || ''));
    setText(find('conditions-state'), stateOf(situation));
    endAll.disabled = copy.disabled = count === 0;
    // A test has no use for the exception of this page.
    setText(json, linesOf(without(faults, sparing).map(textOf)));
  }

  function otherRow(fault: Fault): HTMLElement {
    const words = textOf(fault);
    const isIt = (each: Fault) => textOf(each) === words;
    const endIt = () => replace((before) => before.filter(isIt).slice(0, 1));
    return element(
      'li',
      { class: 'between' },
      element('span', { class: 'mono' }, words),
      element('b', { class: 'small' }, hitsText([fault])),
      button({ class: 'quiet', 'aria-label': `End ${words}` }, endIt, 'End'),
    );
  }

  function conditionRow({ name, member, faultsOf }: Condition) {
    const row = find(name);
    const toggle = row.querySelector('input');
    const select = row.querySelector('select');
    const ownIn = (before: Faults) => situationIn(before).parts.get(name)?.faults ?? [];
    /** @param isNew whether it was off */
    const turnOn = (isNew: boolean) =>
      replace(
        ownIn,
        faultsOf({ path }, Number(select?.value ?? 0)),
        isNew && ['offline', 'down'].includes(name),
      );
    toggle?.setAttribute('role', 'switch');
    toggle?.addEventListener('change', () => (toggle.checked ? turnOn(true) : replace(ownIn)));
    select?.addEventListener('change', () => toggle?.checked && turnOn(false));
    return {
      name,
      show(part: Part | undefined): void {
        if (toggle) toggle.checked = part !== undefined;
        for (const hits of row.querySelectorAll('b'))
          setText(hits, part ? hitsText(part.faults) : '');
        if (part === undefined || !select) return;
        const value = String(part.choice);
        select.value = value;
        // A value that another client has chosen gets an option of its own.
        const text = member.endsWith('Ms') ? `${value} ms` : value;
        if (select.value !== value) select.add(new Option(text, value, true, true));
      },
    };
  }

  endAll.addEventListener('click', () => whileBusy(endAll, () => replace((before) => before)));
  copy.addEventListener('click', () => copyText(json, copy));
  spare.addEventListener('change', () =>
    replace((before) => situationIn(before).sparing, spare.checked ? [SPARING] : []),
  );
  return refresh;
}

function stateOf({ parts, sparing, others }: ReturnType<typeof situationOf>): string {
  const length = parts.size + others.length;
  if (length === 0) return 'The service responds normally.';
  const state = length === 1 ? '1 condition is on' : `${length} conditions are on`;
  return sparing.length > 0 ? `${state}, but not for this page.` : `${state}.`;
}

function hitsText(faults: Faults): string {
  const hits = faults.reduce((sum, fault) => sum + Number(fault.hits ?? 0), 0);
  return `${hits.toLocaleString('en')} ${hits === 1 ? 'hit' : 'hits'}`;
}
