import type { ApiDocument, ApiOperation } from '../api/document.ts';
import type { Send } from '../api/exchange.ts';
import { element, find } from '../shared/dom.ts';
import { operationForm } from './operation-form.ts';

/** Shows the operations of the API, by tag. */
export function showReference(send: Send, { operations }: ApiDocument): void {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const tagged = operations.filter((operation) => operation.tag === tag);
    const shown = tagged.map((operation) => operationDetails(send, operation));
    return element('section', {}, element('h3', {}, tag), ...shown);
  });
  find('operations', HTMLElement).replaceChildren(...sections);
}

/** An operation in one line, and its form when opened. */
function operationDetails(send: Send, operation: ApiOperation): HTMLElement {
  const { id, method, path, summary } = operation;
  const line = [
    element('b', {}, method),
    element('code', {}, path),
    element('span', { class: 'what' }, summary),
  ];
  const attributes = { class: 'operation card', id: `operation-${id}` };
  const details = element('details', attributes, element('summary', {}, ...line));
  const fill = () => details.append(operationForm(send, operation));
  details.addEventListener('toggle', fill, { once: true });
  return details;
}
