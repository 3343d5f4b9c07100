import { JSON_MEDIA_TYPE, type RequestContent } from '../../../lib/http/index.ts';
import { fieldsContent } from '../../resource/content.ts';
import type { FieldValues } from '../../resource/field.ts';
import type { ItemResource } from '../item-resource.ts';

/** A JSON merge patch (RFC 7396) of an item, or of several. */
export function patchContent({ fields, api }: ItemResource): RequestContent<FieldValues> {
  const { update: examples, brokenUpdate: broken } = api.examples;
  const mediaTypes = ['application/merge-patch+json', JSON_MEDIA_TYPE];
  return fieldsContent(fields, 'patch', { name: 'PatchTodo', examples, broken, mediaTypes });
}
