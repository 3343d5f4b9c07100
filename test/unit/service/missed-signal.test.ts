import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasLostHandler } from '../../../src/service/missed-signal.ts';

it('a signal was missed if one of SIGINT and SIGTERM has lost its handler', () => {
  for (const [handled, expected] of [
    ['0000000100004602', false],
    ['0000000100000602', true],
    ['0000000100004600', true],
    ['0000000000000000', false],
    ['ffffffffffffffff', false],
  ] as const) {
    const status = `Name:\tnode\nSigIgn:\t0000000001001000\nSigCgt:\t${handled}\nCapInh:\t0\n`;
    assert.equal(hasLostHandler(status), expected, handled);
  }
  assert.equal(hasLostHandler('Name:\tnode\n'), false);
});
