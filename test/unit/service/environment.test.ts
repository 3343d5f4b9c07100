import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isRunByHand } from '../../../src/service/environment.ts';
import { configOf } from '../../support/service.ts';

it('a service is run by hand at a terminal, outside of CI and images, and with its own items', () => {
  const terminal = { isTTY: true };
  for (const [isByHand, settings, output, env] of [
    [true, {}, terminal, {}],
    // An empty variable counts as unset.
    [true, {}, terminal, { CI: '' }],
    [false, {}, {}, {}],
    [false, {}, terminal, { CI: 'true' }],
    [false, {}, terminal, { IMAGE_HOST: '*' }],
    [false, {}, terminal, { IMAGE_HOST: '' }],
    [false, { STORE: 'etcd' }, terminal, {}],
  ] as const) {
    const given = JSON.stringify({ ...settings, ...output, ...env });
    assert.equal(isRunByHand(configOf(settings), output, env), isByHand, given);
  }
});
