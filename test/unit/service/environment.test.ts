import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isRunByHand } from '../../../src/service/environment.ts';

it('a service is run by hand at a terminal, outside of CI and images, and with its own items', () => {
  const terminal = { isTTY: true };
  for (const [isByHand, isShared, output, env] of [
    [true, false, terminal, {}],
    // An empty variable counts as unset.
    [true, false, terminal, { CI: '' }],
    [false, false, {}, {}],
    [false, false, terminal, { CI: 'true' }],
    [false, false, terminal, { IMAGE_HOST: '*' }],
    [false, false, terminal, { IMAGE_HOST: '' }],
    [false, true, terminal, {}],
  ] as const) {
    const given = JSON.stringify({ isShared, ...output, ...env });
    assert.equal(isRunByHand(output, env, isShared), isByHand, given);
  }
});
