import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { didYouMean, distance, nearest } from '../../../src/lib/nearest.ts';

describe('the nearest name', () => {
  it('is compared without letter case, `_` and `-`', () => {
    const names = ['id', 'title', 'createdAt', 'TITLE.contains'];
    for (const [text, name] of [
      ['Title', 'title'],
      ['_ID', 'id'],
      ['created-at', 'createdAt'],
      ['__created_at__', 'createdAt'],
      ['title.contains', 'TITLE.contains'],
      [`${'_'.repeat(3000)}title`, 'title'],
    ] as const) {
      assert.equal(nearest(text, names), name, text);
    }
    assert.equal(nearest('MAXROWS', ['MAX_ROWS', 'MAX_ROW']), 'MAX_ROWS');
  });

  it('may differ in a third of the letters of the longer name', () => {
    for (const [text, name, isNear] of [
      ['titel', 'title', true],
      ['itle', 'title', true],
      ['title😀', 'title', true],
      ['teitel', 'title', true],
      ['tatel', 'title', false],
      ['completd', 'completed', true],
      ['kompletet', 'completed', true],
      ['kampletit', 'completed', false],
      ['ids', 'id', true],
      ['is', 'id', false],
      ['q', 'id', false],
      ['', 'id', false],
      ['page', 'title', false],
      ['x'.repeat(60_000), 'title', false],
    ] as const) {
      assert.equal(nearest(text, [name]), isNear ? name : undefined, text.slice(0, 20));
      assert.equal(nearest(name, [text]), isNear ? text : undefined, 'in both directions');
    }
  });

  it('may be near by another name of the same thing', () => {
    const aliases = { completed: ['done', 'isDone'], content: ['body'] };
    for (const text of ['done', 'isDone', 'is_done', 'DONE', 'isDon']) {
      assert.equal(nearest(text, ['title', 'completed'], aliases), 'completed', text);
    }
    assert.equal(nearest('Body', ['content', 'bodies'], aliases), 'content');
    assert.equal(nearest('done', ['title'], aliases), undefined);
  });

  it('is none if several are equally near', () => {
    assert.equal(nearest('cart', ['cast', 'card']), undefined);
    assert.equal(nearest('cart', ['cast', 'caart', 'cards']), undefined);
    assert.equal(nearest('cart', ['carts', 'xxxx']), 'carts');
    assert.equal(nearest('x', []), undefined);
  });

  it('is found by the first forty letters, so that a long text takes no long time', () => {
    const start = 'x'.repeat(39);
    assert.equal(nearest(`${start}yz`, [`${start}yz`, `${start}y`]), `${start}y`);
    assert.equal(nearest('y'.repeat(400), [start]), undefined);
  });

  it('is suggested in the same words everywhere', () => {
    assert.equal(didYouMean(), '');
    assert.equal(didYouMean('a'), '; did you mean a?');
    assert.equal(didYouMean('a', 'b', 'c'), '; did you mean a, b or c?');
  });
});

it('the distance of names counts characters, and a swap as one', () => {
  for (const [a, b, count] of [
    ['', '', 0],
    ['abc', '', 3],
    ['abcd', 'acbd', 1],
    ['abcd', 'bcda', 2],
    ['a😀c', 'abc', 1],
    ['kitten', 'sitting', 3],
  ] as const) {
    assert.equal(distance(a, b), count, `${a}, ${b}`);
    assert.equal(distance(b, a), count, `${b}, ${a}`);
  }
});
