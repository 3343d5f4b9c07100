import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import { KnownRevision } from '../../../../src/lib/replica/read/known-revision.ts';

/** A known revision, and a function that lets time pass, in milliseconds. */
function stage(test: TestContext) {
  let now = 60_000;
  test.mock.method(clock, 'now', () => now);
  const pass = (ms: number) => {
    now += ms;
  };
  return { known: new KnownRevision(), pass };
}

describe('a watch', () => {
  it('is silent a second after the first missing revision was noted', (test) => {
    const { known, pass } = stage(test);
    known.note(24, 23);
    assert.equal(known.lag(23), 1);
    pass(900);
    assert.equal(known.isSilent(23), false);
    known.note(25, 23);
    pass(200);
    assert.equal(known.isSilent(23), true);
    known.arrive();
    assert.equal(known.isSilent(23), false);
  });

  it('is not silent because of revisions that a restore has lost', (test) => {
    const { known, pass } = stage(test);
    known.note(83, 23);
    pass(2_000);
    assert.equal(known.isSilent(43), true);
    known.note(43, 43);
    assert.deepEqual([known.isSilent(43), known.lag(43)], [false, 0]);
    known.note(60, 43);
    pass(1_000);
    assert.equal(known.isSilent(43), true);
  });
});
