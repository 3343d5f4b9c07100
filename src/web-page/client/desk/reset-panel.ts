import type { Service } from '../api/service.ts';
import { confirmAction } from '../list/confirm-dialog.ts';
import type { OutcomeBar } from '../list/outcome-bar.ts';
import { linesOf, listOf, MARK, markedJson, parseJson } from '../shared/json.ts';
import { copyText, find, setText, whileBusy } from '../shared/page.ts';
import type { Admin } from './admin.ts';

/**
 * Resets the list to the seed of the service, and copies it as a seed.
 * @param maxSeedBytes the maximum size of a seed over HTTP, in bytes
 */
export function createResetPanel(
  admin: Admin,
  service: Service,
  bar: OutcomeBar,
  maxSeedBytes: number,
): void {
  const reset = find('reset', HTMLButtonElement);
  const copy = find('copy-seed', HTMLButtonElement);
  const preview = find('seed-preview');

  const readItems = async () => (await service.get(service.collection)).text;

  /** Resets the list, and offers to bring the items back. If they are no seed, asks first. */
  async function resetToSeed(): Promise<void> {
    const items = await readItems().catch(() => undefined);
    const isSeed = items !== undefined && new Blob([items]).size <= maxSeedBytes;
    const text = 'Its items cannot come back.';
    if (!isSeed && !(await confirmAction('Reset the list?', text, 'Reset'))) return;
    await admin.change('POST', 'reset');
    const restore = async () => {
      await admin.change('POST', 'reset', items);
      bar.show(['The items are back.'], undefined, true);
    };
    bar.show(['The list has been reset.'], isSeed ? () => admin.run(restore) : undefined, true);
  }

  async function copySeed(): Promise<void> {
    const items = listOf(parseJson(await readItems(), MARK));
    setText(preview, linesOf(items.map((item) => markedJson(item))));
    preview.hidden = false;
    await copyText(preview, copy);
  }

  reset.addEventListener('click', () => whileBusy(reset, () => admin.run(resetToSeed)));
  copy.addEventListener('click', () => whileBusy(copy, () => admin.run(copySeed)));
}
