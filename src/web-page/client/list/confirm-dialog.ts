import { find, setText } from '../shared/page.ts';

/** Asks for a consent to what cannot be undone. @returns true if the user agrees */
export async function confirmAction(title: string, text: string, action: string): Promise<boolean> {
  const dialog = find('confirm', HTMLDialogElement);
  setText(find('confirm-title'), title);
  setText(find('confirm-text'), `${text} This cannot be undone.`);
  setText(find('confirm-action'), action);
  dialog.returnValue = '';
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  return dialog.returnValue === 'agreed';
}
