import { readFileSync } from 'node:fs';

/** The date and the entries of a version in CHANGELOG.md; undefined if it has no section. */
export function sectionOf(version) {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`${version} - `));
  if (section === undefined) return undefined;
  const [heading = '', ...lines] = section.split('\n');
  return { date: heading.slice(`${version} - `.length), entries: lines.join('\n').trim() };
}
