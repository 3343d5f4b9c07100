import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { sectionOf, type Trip, trips } from '../../scripts/trips.ts';

const PAGE = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');

/** What each trip may take at most: files, and hops between them. */
const BOUNDS: Readonly<Record<string, readonly [files: number, hops: number]>> = {
  'A GET by id': [26, 57],
  'A search': [47, 178],
  'A PUT': [46, 127],
  'A reset': [49, 325],
  'A start with etcd': [100, 960],
};

/** A start passes some more files if etcd responds in another order, or later. */
const MAX_BY_CHANCE = 12;

/** The files that a section of the page lists. */
function filesIn(section: string): readonly string[] {
  return [...section.matchAll(/^ {4}(\S+\.ts) /gm)].map(([, file = '']) => file).sort();
}

describe('docs/architecture.md', () => {
  let found: readonly Trip[];
  before(async () => {
    found = await trips();
  });

  for (const [title, [files, hops]] of Object.entries(BOUNDS)) {
    it(`lists the files of ${title.toLowerCase()} as V8 sees them`, () => {
      const trip = found.find((each) => each.title === title);
      assert(trip !== undefined);
      const [, section = ''] = PAGE.split(`\n### ${title}\n`);
      const [listed = ''] = section.split('\n### ');
      const [told, seen] = [new Set(filesIn(listed)), new Set(filesIn(sectionOf(trip)))];
      const differing = [...told, ...seen].filter((file) => !told.has(file) || !seen.has(file));
      const command = 'npm run trips -- --write';
      const most = title === 'A start with etcd' ? MAX_BY_CHANCE : 0;
      assert(differing.length <= most, `${differing.join(', ')}; to list them anew: ${command}`);
      assert(trip.files.size <= files, `${trip.files.size} files, of at most ${files}`);
      assert(trip.hops <= hops, `${trip.hops} hops, of at most ${hops}`);
    });
  }
});
