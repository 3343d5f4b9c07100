import type { Api } from '../api/api.ts';
import type { ApiDocument, ApiOperation } from '../api/document.ts';
import { element, find } from '../shared/dom.ts';
import { operationForm } from './operation-form.ts';

/** Shows the operations of the API, by tag. */
export function showReference(api: Api, { operations }: ApiDocument): void {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const tagged = operations.filter((operation) => operation.tag === tag);
    const shown = tagged.map((operation) => operationDetails(api, operation));
    return element('section', {}, element('h3', {}, tag), ...shown);
  });
  find('operations', HTMLElement).replaceChildren(...sections);
}

/** An operation in one line, and its form when opened. */
function operationDetails(api: Api, operation: ApiOperation): HTMLElement {
  const { id, method, path, summary } = operation;
  const line = [
    element('b', {}, method),
    element('code', {}, path),
    element('span', { class: 'what' }, summary),
  ];
  const attributes = { class: 'operation', id: `operation-${id}` };
  const details = element('details', attributes, element('summary', {}, ...line));
  const fill = () => details.append(operationForm(api, operation));
  details.addEventListener('toggle', fill, { once: true });
  return details;
}
