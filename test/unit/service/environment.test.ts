import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isRunByHand } from '../../../src/service/environment.ts';

it('a service is run by hand at a terminal, outside of CI and images', () => {
  const terminal = { isTTY: true };
  for (const [isByHand, output, env] of [
    [true, terminal, {}],
    // An empty variable counts as unset.
    [true, terminal, { CI: '' }],
    [false, {}, {}],
    [false, terminal, { CI: 'true' }],
    [false, terminal, { IMAGE_HOST: '*' }],
    [false, terminal, { IMAGE_HOST: '' }],
  ] as const) {
    const given = JSON.stringify({ ...output, ...env });
    assert.equal(isRunByHand(output, env), isByHand, given);
  }
});
