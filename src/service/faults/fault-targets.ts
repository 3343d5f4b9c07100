import type { Request } from '../../lib/http/index.ts';
import type { NamedSchema } from '../../lib/json/index.ts';
import type { KnownPaths } from '../admin/request-matching.ts';
import type { Shape } from '../resource/shape.ts';

/** How faults change items, as other clients would (testing.md: "Faults"). */
export interface ItemEdits {
  /** The template of the path of an item. */
  readonly route: string;
  /** The content of a PATCH of an item. */
  readonly content: { readonly schema: NamedSchema; readonly shape: Shape<object> };
  /**
   * Changes the item in the path of a request, in a commit of its own. Does nothing if the request is
   * refused whatever the item is, if there is no such item, or if the store refuses the change.
   * @param edit valid content
   */
  make(request: Request, edit: object): Promise<void>;
}

/** The requests that faults can match, and the items that they can change. */
export interface FaultTargets extends KnownPaths {
  readonly edits: ItemEdits;
}
