import { find, itemsText, setText } from '../shared/page.ts';

/** Asks whether to delete the items that are done. @returns true if the user agrees */
export async function confirmDeletion(count: number): Promise<boolean> {
  const dialog = find('confirm', HTMLDialogElement);
  if (dialog.open) return false;
  const remove = find('confirm-delete', HTMLButtonElement);
  setText(find('confirm-title', HTMLElement), `Delete ${itemsText(count, 'done')}?`);
  setText(remove, `Delete ${itemsText(count)}`);
  dialog.returnValue = '';
  remove.onclick = () => dialog.close('delete');
  find('confirm-cancel', HTMLButtonElement).onclick = () => dialog.close();
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  return dialog.returnValue === 'delete';
}
