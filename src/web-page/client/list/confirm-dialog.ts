import { find, itemsText, setText } from '../shared/page.ts';

/** Asks whether to delete the items that are done. @returns true if the user agrees */
export async function confirmDeletion(count: number): Promise<boolean> {
  const dialog = find('confirm', HTMLDialogElement);
  setText(find('confirm-title', HTMLElement), `Delete ${itemsText(count, 'done ')}?`);
  setText(find('confirm-delete', HTMLElement), `Delete ${itemsText(count)}`);
  dialog.returnValue = '';
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  return dialog.returnValue === 'delete';
}
