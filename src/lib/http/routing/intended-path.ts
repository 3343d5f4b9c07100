import { distance } from '../../nearest.ts';

/**
 * Suggests a known path for an unknown one that has an extra final slash, or one misspelled segment
 * (a letter omitted, added or replaced, or two swapped).
 * @param templates such as `/notes/{id}`
 */
export function intendedPath(path: string, templates: readonly string[]): string | undefined {
  const sent = path.split('/');
  const hasFinalSlash = sent.at(-1) === '' && sent.length > 2;
  const segments = hasFinalSlash ? sent.slice(0, -1) : sent;
  for (const template of templates) {
    const parts = template.split('/');
    if (parts.length !== segments.length) continue;
    const isEqual = (part: string, i: number) =>
      part.startsWith('{') ? segments[i] !== '' : part === segments[i];
    const differentIndex = parts.findIndex((part, i) => !isEqual(part, i));
    if (hasFinalSlash) {
      if (differentIndex === -1) return segments.join('/');
      continue;
    }
    const part = parts[differentIndex] ?? '';
    const segment = segments[differentIndex] ?? '';
    // Only similar lengths are compared, because a path may be long.
    const hasSimilarLength = part !== '' && Math.abs(segment.length - part.length) <= 1;
    if (!hasSimilarLength || distance(segment, part) > 1) continue;
    const othersAreEqual = parts.every((each, i) => i === differentIndex || isEqual(each, i));
    if (othersAreEqual) return segments.with(differentIndex, part).join('/');
  }
  return undefined;
}
