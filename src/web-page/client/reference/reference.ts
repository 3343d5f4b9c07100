import type { Api } from '../api/api.ts';
import type { ApiDocument } from '../api/api-document.ts';
import { element, find } from '../shared/dom.ts';
import { OperationView } from './operation-view.ts';

/** Shows the operations of the API, by tag. */
export function showReference(api: Api, { operations }: ApiDocument): void {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const groups = tags.map((tag) =>
    element(
      'section',
      {},
      element('h3', {}, tag),
      ...operations
        .filter((operation) => operation.tag === tag)
        .map((operation) => new OperationView(api, operation).element),
    ),
  );
  find('operations', HTMLElement).replaceChildren(...groups);
}
