import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { didYouMean, distance, isClose, nearest } from '../../../src/lib/nearest.ts';

describe('a name', () => {
  for (const [text, name] of [
    ['Title', 'title'],
    ['_id', 'id'],
    ['ID', 'id'],
    ['created-at', 'createdAt'],
    ['titl', 'title'],
    ['titlee', 'title'],
    ['tatle', 'title'],
    ['titel', 'title'],
    ['_Titel-', 'title'],
    ['itle', 'title'],
    ['rare', 'rate'],
    ['title😀', 'title'],
  ] as const) {
    it(`such as ${text} is close to ${name}`, () => {
      assert(isClose(text, name));
      assert(isClose(name, text), 'in both directions');
    });
  }

  for (const [text, name] of [
    ['ids', 'id'],
    ['dd', 'id'],
    ['tag', 'tags'],
    ['tags', 'tag'],
    ['tittel', 'title'],
    ['ittel', 'title'],
    ['tilte', 'title2'],
    ['priority1st', 'priority'],
    ['', 'title'],
    ['x'.repeat(60_000), 'title'],
  ] as const) {
    it(`such as ${text.slice(0, 12)} is not close to ${name}`, () => {
      assert(!isClose(text, name));
      assert(!isClose(name, text), 'in both directions');
    });
  }

  it('is close to another if it equals one of its aliases', () => {
    for (const text of ['done', 'isDone', 'is_done', 'DONE'])
      assert(isClose(text, 'completed', ['done', 'isDone']), text);
    for (const text of ['dome', 'dones', 'isDon'])
      assert(!isClose(text, 'completed', ['done', 'isDone']), text);
  });
});

describe('the nearest name', () => {
  it('takes the fewest changes of a character, whatever their case', () => {
    const names = ['id', 'title', 'TITLE.contains', 'completed', 'priority', 'sort'];
    for (const [text, name] of [
      ['completd', 'completed'],
      ['kompletet', 'completed'],
      ['Proirity', 'priority'],
      ['title.contain', 'TITLE.contains'],
      ['titles', 'title'],
      ['titel', 'title'],
      ['_ID', 'id'],
      ['srt', 'sort'],
      [`${'_'.repeat(3000)}sort`, 'sort'],
    ] as const) {
      assert.equal(nearest(text, names), name, text);
    }
    assert.equal(nearest('x', []), undefined);
    for (const text of ['', 'q', 'i', 'ids', 'title.like', 'page', 'kampletit']) {
      assert.equal(nearest(text, names), undefined, text);
    }
  });

  it('is the name of an alias, even if another one is nearer', () => {
    const aliases = { content: ['body'] };
    assert.equal(nearest('Body', ['content', 'bodies'], aliases), 'content');
    assert.equal(nearest('boby', ['content', 'rate'], aliases), undefined);
  });

  it('is none if several are equally near', () => {
    assert.equal(nearest('cart', ['cast', 'card']), undefined);
    assert.equal(nearest('cart', ['cast', 'caart', 'cards']), undefined);
    assert.equal(nearest('cart', ['carts', 'xxxx']), 'carts');
    assert.equal(nearest('MAXROWS', ['MAX_ROWS', 'MAX_ROW']), 'MAX_ROWS');
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
