import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from '../../../src/lib/nearest.ts';

describe('the nearest name', () => {
  it('takes the fewest changes of a letter, whatever their case', () => {
    const names = ['id', 'title', 'TITLE.contains', 'completed', 'priority'];
    for (const [text, name] of [
      ['completd', 'completed'],
      ['Proirity', 'priority'],
      ['title.contain', 'TITLE.contains'],
      ['titles', 'title'],
      ['i', 'id'],
      ['titel', 'title'],
    ] as const) {
      assert.equal(nearest(text, names), name, text);
    }
    assert.equal(nearest('x', []), undefined);
    for (const text of ['', 'q', 'title.like', 'page']) {
      assert.equal(nearest(text, names), undefined, text);
    }
  });

  it('is the first of several that are equally near: each change counts as one', () => {
    const [replaced, without, more] = ['cut', 'at', 'cats'] as const;
    for (const names of [
      [replaced, without, more],
      [without, more, replaced],
      [more, replaced, without],
    ]) {
      assert.equal(nearest('cat', names), names[0]);
    }
    assert.equal(nearest('cat', ['cuts', replaced]), replaced);
  });

  it('is found by the first forty letters, so that a long text takes no long time', () => {
    const start = 'x'.repeat(39);
    assert.equal(nearest(`${start}yz`, [`${start}yz`, `${start}y`]), `${start}y`);
    assert.equal(nearest(`${start}yz`, [start, `${start}y`]), `${start}y`);
    assert.equal(nearest('y'.repeat(400), [start]), undefined);
  });
});
