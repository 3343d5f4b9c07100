import { find } from '../shared/page.ts';

/**
 * Turns the buttons of a bar into tabs, each of which shows a panel (WAI-ARIA Authoring Practices:
 * arrow keys, Home and End).
 * @param barId the id of the element with the buttons
 * @returns a function that returns the id of the shown panel
 */
export function createTabs(barId: string, onChange: (panel: string) => void): () => string {
  const bar = find(barId);
  const tabs = [...bar.querySelectorAll('button')];
  const panelOf = (tab: HTMLElement) => tab.getAttribute('aria-controls') ?? '';
  let shown = '';

  function show(tab: HTMLButtonElement): void {
    shown = panelOf(tab);
    for (const each of tabs) {
      each.ariaSelected = String(each === tab);
      each.tabIndex = each === tab ? 0 : -1;
      find(panelOf(each)).hidden = each !== tab;
    }
    onChange(shown);
  }

  for (const tab of tabs) tab.addEventListener('click', () => show(tab));
  bar.addEventListener('keydown', (event) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    // Alt and an arrow lead to another page.
    if (altKey || ctrlKey || metaKey) return;
    const at = tabs.findIndex(({ id }) => id === document.activeElement?.id);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[key];
    // A negative index counts from the end, so the last tab comes before the first.
    const tab = next === undefined ? undefined : tabs.at(next % tabs.length);
    if (tab === undefined) return;
    event.preventDefault();
    tab.focus();
    tab.click();
  });
  tabs[0]?.click();
  return () => shown;
}
