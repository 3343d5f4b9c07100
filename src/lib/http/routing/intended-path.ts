import { distance } from '../../nearest.ts';

/**
 * Suggests a known path for an unknown one that has an extra final slash, or one misspelled segment
 * (a letter omitted, added or replaced, or two swapped).
 * @param templates such as `/notes/{id}`
 */
export function intendedPath(path: string, templates: readonly string[]): string | undefined {
  const segments = path.split('/');
  const isFinalSlash = segments.at(-1) === '' && segments.length > 2;
  const wanted = isFinalSlash ? segments.slice(0, -1) : segments;
  for (const template of templates) {
    const parts = template.split('/');
    if (parts.length !== wanted.length) continue;
    const isEqual = (part: string, i: number) =>
      part.startsWith('{') ? wanted[i] !== '' : part === wanted[i];
    const different = parts.findIndex((part, i) => !isEqual(part, i));
    if (isFinalSlash) {
      if (different === -1) return wanted.join('/');
      continue;
    }
    const part = parts[different];
    const given = wanted[different] ?? '';
    // Only similar lengths are compared, because a path may be long.
    if (!part || Math.abs(given.length - part.length) > 1 || distance(given, part) > 1) continue;
    const suggestion = wanted.with(different, part);
    const isWhole = parts.every((each, i) => i === different || isEqual(each, i));
    if (isWhole) return suggestion.join('/');
  }
  return undefined;
}
