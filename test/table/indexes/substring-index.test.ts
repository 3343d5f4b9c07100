import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SegmentBuilder } from '../../../src/table/indexes/segment-builder.ts';
import type { SlotBlocks } from '../../../src/table/indexes/slot-blocks.ts';
import { type Probe, SubstringIndex } from '../../../src/table/indexes/substring-index.ts';
import { Random, SEED } from '../support/random.ts';

const WORDS: [string, ...string[]] = [
  'alpha',
  'beta',
  'gamma',
  'delta',
  'omega',
  '日本語文',
  '😀😁',
];

function probe(index: SubstringIndex, text: string): Probe {
  const found = index.probe([text]);
  assert.ok(found, `the index helps to find ${text}`);
  return found;
}

/** An index over texts that change like rows. */
class Texts {
  readonly #texts = new Map<number, string>();
  readonly #builders: SegmentBuilder[] = [];
  readonly index: SubstringIndex;

  constructor() {
    const texts = this.#texts;
    const source = {
      rowCount: () => texts.size,
      has: (slot: number) => texts.has(slot),
      text: (slot: number) => texts.get(slot) ?? null,
    };
    this.index = new SubstringIndex('text', source, this.#builders);
  }

  set(slot: number, text: string | undefined): void {
    const before = this.#texts.get(slot);
    if (text === undefined) this.#texts.delete(slot);
    else this.#texts.set(slot, text);
    const row = (value: string | undefined) => (value === undefined ? undefined : { text: value });
    this.index.replace(slot, row(before), row(text));
  }

  work(): void {
    while (this.index.isPending) {
      const work = this.index.work();
      while (!work.next().done);
    }
  }

  /** The slots that the index returns, and those it does not cover. */
  candidates(needle: string): number[] {
    const { unindexedFrom, slots } = probe(this.index, needle);
    const unknown = [...this.#texts.keys()].filter((slot) => slot >= unindexedFrom);
    return [...[...slots()].flat(), ...unknown.sort((a, b) => a - b)];
  }

  /** The slots that the index returns if it rechecks those in doubt, and how many these are. */
  rechecked(needle: string): { slots: number[]; inDoubt: number } {
    let inDoubt = 0;
    const matches = (slot: number) => this.#texts.get(slot)?.includes(needle);
    function* recheck(candidates: SlotBlocks): SlotBlocks {
      for (const block of candidates) {
        inDoubt += block.length;
        yield block.filter(matches);
      }
    }
    const slots = [...probe(this.index, needle).slots(recheck)].flat();
    return { slots: slots.filter((slot) => this.#texts.has(slot)), inDoubt };
  }

  check(needle: string): void {
    const candidates = this.candidates(needle);
    assert.deepEqual(
      candidates,
      [...new Set(candidates)].sort((a, b) => a - b),
      'ascending',
    );
    const found = candidates.filter((slot) => this.#texts.get(slot)?.includes(needle));
    const expected = [...this.#texts].flatMap(([slot, text]) =>
      text.includes(needle) ? slot : [],
    );
    assert.deepEqual(
      found,
      expected.sort((a, b) => a - b),
      `${needle} (seed ${SEED})`,
    );
    const { unindexedFrom } = probe(this.index, needle);
    assert.deepEqual(
      this.rechecked(needle).slots,
      expected.filter((slot) => slot < unindexedFrom),
      `${needle}, rechecked (seed ${SEED})`,
    );
  }
}

/** The slots below 1,000 with a remainder modulo seven. */
function sevenths(remainder: number): number[] {
  return Array.from({ length: 143 }, (_, i) => 7 * i + remainder).filter((slot) => slot < 1000);
}

describe('substring index', () => {
  test('misses nothing, whatever is written during indexing', () => {
    const random = new Random(SEED);
    const texts = new Texts();
    const sentence = () => random.list(5, () => random.pick(WORDS)).join(' ');
    const write = () => {
      const slot = random.below(6000);
      texts.set(slot, random.chance(4) ? undefined : sentence());
    };
    for (let round = 0; round < 40; round++) {
      for (let i = random.below(600); i > 0; i--) write();
      const work = texts.index.work();
      for (let steps = random.below(60); steps > 0 && !work.next().done; steps--) {
        write();
        if (random.chance(8)) texts.check('gam');
      }
      for (const needle of ['alpha', 'ta gam', '日本語', '😀😁', 'zzz']) texts.check(needle);
      while (!work.next().done);
      for (const needle of ['alpha', 'ta gam', '日本語', '😀😁', 'zzz']) texts.check(needle);
    }
  });

  test('misses nothing in rows only inserted, and narrows down to few of them', () => {
    const texts = new Texts();
    for (let slot = 0; slot < 10_000; slot++) {
      const rare = slot % 500 === 5 ? ' with a xylophone' : '';
      const often = slot % 150 === 7 ? ' or a violin' : '';
      texts.set(slot, `text ${slot}${rare}${often}`);
      if (slot % 64 === 63) texts.work();
    }
    for (const needle of ['xylophone', 'violin', 'text 7', '123', '9999', 'one or']) {
      texts.check(needle);
    }
    const { estimate } = probe(texts.index, 'xylophone');
    const waiting = 64;
    assert.ok(estimate < 20 + waiting);
    assert.ok(texts.candidates('xylophone').length < 20 + waiting);
  });

  test('takes a second look only where a part of a word is not enough, or a text has changed', () => {
    const texts = new Texts();
    for (let slot = 0; slot < 1000; slot++) texts.set(slot, `order ${slot}:${WORDS[slot % 7]}`);
    const work = texts.index.work();
    work.next();
    texts.set(1000, 'a new text, not a change of one that is being indexed');
    while (!work.next().done);
    assert.equal(probe(texts.index, 'amm').unindexedFrom, 1000);
    assert.deepEqual(texts.rechecked('amm'), { slots: sevenths(2), inDoubt: 0 });
    assert.deepEqual(texts.rechecked('日本語'), { slots: sevenths(5), inDoubt: 0 });
    assert.deepEqual(texts.rechecked(' gamma'), { slots: [], inDoubt: 143 });
    texts.set(2, undefined);
    assert.deepEqual(texts.rechecked('amm'), { slots: sevenths(2).slice(1), inDoubt: 0 });
    texts.set(9, 'another text');
    const { slots, inDoubt } = texts.rechecked('amm');
    assert.deepEqual(slots, sevenths(2).slice(2));
    assert.equal(inDoubt, 144, '143 in the segment, and the changed row');
    for (let slot = 1001; slot < 1100; slot++) texts.set(slot, 'gamma');
    texts.work();
    assert.equal(probe(texts.index, 'amm').unindexedFrom, Number.POSITIVE_INFINITY);
  });

  test('misses nothing in words that its dictionary has no room for', () => {
    const texts = new Texts();
    const long = 'a-word-of-thirty-letters'.replaceAll('-', 'x');
    for (let slot = 0; slot < 1200; slot++) {
      const words = Array.from({ length: 60 }, (_, i) => `n${slot * 60 + i}`);
      texts.set(slot, `${words.join(' ')} ${long}${slot}`);
    }
    texts.work();
    const early = ['n70', 'n7 ', ' n7 n8 ', '7 n8', 'n59 ax'];
    const late = ['n71999', ' n71500 ', '00 n71501', '999 aword'];
    const tooLong = [`${long}1199`, 'thirtyxletters77', 'thirtyxletters117'];
    for (const needle of [...early, ...late, ...tooLong]) texts.check(needle);
    for (const needle of ['n71999', ' n71500 ', `${long}1199`]) {
      assert.ok(texts.candidates(needle).length < 100, `few rows may have ${needle}`);
    }
  });

  test('does not grow with deletes and updates', () => {
    const texts = new Texts();
    const sizes: number[] = [];
    for (let round = 0; round < 30; round++) {
      for (let slot = 0; slot < 3000; slot++) texts.set(slot, `text ${slot} of round ${round}`);
      texts.work();
      texts.check('round 2');
      sizes.push(texts.index.bytes);
    }
    assert.ok(Math.max(...sizes.slice(15)) < 2 * Math.max(...sizes.slice(0, 15)));
    for (let slot = 0; slot < 3000; slot++) texts.set(slot, undefined);
    for (let slot = 0; slot < 10_000; slot++) {
      texts.set(slot, 'x');
      texts.set(slot, undefined);
    }
    texts.work();
    assert.deepEqual(
      texts.candidates('round').filter((slot) => slot > 3000),
      [],
    );
  });

  test('gives back the memory of deleted rows', () => {
    for (const rows of [200, 5_000, 20_000]) {
      const texts = new Texts();
      const fewer = new Texts();
      for (let slot = 0; slot < rows; slot++) {
        const number = Math.floor(slot / 20) % 50;
        const text = `the ${WORDS[slot % WORDS.length]} of row ${number} `.repeat(5);
        texts.set(slot, text);
        if (slot % 20 === 0) fewer.set(slot, text);
      }
      texts.work();
      fewer.work();
      for (let slot = 0; slot < rows; slot++) if (slot % 20 !== 0) texts.set(slot, undefined);
      texts.work();
      const { bytes } = texts.index;
      const least = fewer.index.bytes;
      assert.ok(bytes < 2 * least, `${bytes} bytes for ${rows / 20} rows, not ${least}`);
      texts.check('row 20 ');
      for (let slot = 0; slot < rows; slot += 20) texts.set(slot, undefined);
      texts.work();
      assert.equal(texts.index.bytes, 0, `after ${rows} rows have been deleted`);
    }
  });

  test('is urgent once searches have paid for it, and never without searches', () => {
    const texts = new Texts();
    const rows = 1000;
    for (let slot = 0; slot < rows; slot++) texts.set(slot, `text ${slot}`);
    const search = () => probe(texts.index, 'text 1').slots().next();
    assert.equal(texts.index.isPending, true);
    assert.equal(texts.index.isUrgent, false, 'a load that only writes pays for no index');
    let searches = 0;
    for (; !texts.index.isUrgent && searches < 100; searches++) search();
    assert.ok(searches > 8 && searches < 40, `after ${searches} searches of ${rows} waiting rows`);
    texts.work();
    assert.equal(texts.index.isUrgent, false, 'the indexing is done');
    for (let i = 0; i < 100; i++) search();
    assert.equal(texts.index.isUrgent, false, 'nothing waits, so nothing is paid for');
    for (let slot = 0; slot < rows; slot++) texts.set(slot, `other text ${slot}`);
    for (let i = 0; !texts.index.isUrgent; i++) {
      assert.ok(i < 40, 'updated rows count like new ones');
      search();
    }
  });

  test('survives work that fails or is abandoned midway', () => {
    const texts = new Texts();
    for (let slot = 0; slot < 200; slot++) texts.set(slot, `text ${slot}`);
    const work = texts.index.work();
    work.next();
    texts.check('text 1');
    assert.throws(() => work.throw(new Error('stop')));
    texts.check('text 1');
    texts.work();
    texts.check('text 1');
    assert.ok(texts.candidates('text 17').length < 200);
  });
});
