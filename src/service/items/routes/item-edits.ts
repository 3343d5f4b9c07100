import { jsonObjectOf, Problem, type Request } from '../../../lib/http/index.ts';
import { noParameters } from '../../resource/query/parameters.ts';
import { ignoredNames } from '../../resource/query/unknown-names.ts';
import { readContent } from '../../resource/request-content.ts';
import { fullProblem } from '../../store/full-store.ts';
import type { ItemId } from '../../store/items.ts';
import { ListSite } from '../item-list.ts';
import type { ItemResource } from '../item-resource.ts';
import { ITEM, idArgument, patchContent } from './item-routes.ts';

/** The changes that faults make before a request for an item is carried out (testing.md: "Faults"). */
export function itemEdits(resource: ItemResource) {
  const { fields, rules, api } = resource;
  const content = patchContent(resource);
  const idInPath = idArgument(fields, noParameters(ignoredNames(rules)));

  /** The id in the path; undefined if the request is refused whatever the item is. */
  const idOf = (request: Request): ItemId | undefined => {
    if (request.refusal !== undefined) return undefined;
    try {
      if (request.route?.content !== undefined) jsonObjectOf(request);
      return idInPath.of(request);
    } catch (error) {
      if (error instanceof Problem) return undefined;
      throw error;
    }
  };

  return {
    route: `${api.collection}/${ITEM}`,
    content,
    async make(request: Request, edit: object): Promise<void> {
      const id = idOf(request);
      if (id === undefined) return;
      const { store, items } = ListSite.of(request).list;
      const values = readContent(content.shape, edit);
      try {
        await store.write(
          () => {
            const found = items.table.find(id);
            if (found !== undefined) items.update(found, values);
          },
          () => undefined,
        );
      } catch (error) {
        const isRefusal = error instanceof Problem || fullProblem(error) !== undefined;
        if (!isRefusal) throw error;
      }
    },
  };
}
