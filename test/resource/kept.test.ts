import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keptPerVersion } from '../../src/resource/kept.ts';

describe('what is kept per version', () => {
  it('is made once for each version', () => {
    let version = 1;
    let made = 0;
    const kept = keptPerVersion<never>(
      () => version,
      () => `text ${++made}`,
    );
    assert.equal(String(kept()), 'text 1');
    assert.equal(kept(), kept());
    version = 2;
    assert.equal(String(kept()), 'text 2');
    assert.equal(made, 2);
  });

  it('is not a list in slices, which can be read only once', () => {
    const kept = keptPerVersion(
      () => 1,
      () => [].values(),
    );
    assert.notEqual(kept(), kept());
  });
});
