import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Page } from '../../../../src/lib/table/pages/page.ts';
import { Signature } from '../../../../src/lib/table/pages/signature.ts';
import { TextSearch } from '../../../../src/lib/table/pages/text-search.ts';
import { resolveSchema } from '../../../../src/lib/table/schema/resolved-schema.ts';

it('a search finds the rows of a page that its signature has got since the page before', () => {
  const signature = new Signature(64);
  const search = new TextSearch(['absent']);
  for (const _ of ['the first page', 'the one after it']) {
    const page = pageWithoutSigned(signature);
    const mask = new Int32Array(page.words);
    assert.equal(search.narrow(page, page.live, mask), 'candidates');
    assert.deepEqual(mask, page.live);
  }
});

it('a search finds the rows of a page whose signature has grown', () => {
  const signature = new Signature(64);
  const search = new TextSearch(['a title']);
  const page = pageWithoutSigned(signature);
  assert(page.region);
  signature.mark(page.region, 0, 'a title');
  signature.sign(page.region, 0, 7);
  for (const words of [100, 200]) {
    const mask = new Int32Array(page.words);
    assert.equal(search.narrow(page, page.live, mask), 'candidates');
    assert.deepEqual(mask, page.live);
    signature.grow(words);
  }
});

/** A page with one row, which its signature does not know yet. */
function pageWithoutSigned(signature: Signature): Page {
  const schema = resolveSchema({
    id: { kind: 'integer', identity: { from: 1, to: 9 } },
    title: { kind: 'text', index: 'substring' },
  });
  const page = Page.empty(schema, 0, 1);
  page.put(page.append(0), { id: 1, title: 'a title' }, 1);
  const firstWord = signature.words;
  signature.grow(firstWord + page.words);
  signature.takeWords(firstWord, page.words);
  page.region = { signature, firstWord, words: page.words, rows: 0, signed: 0 };
  return page;
}
