import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import {
  type LifecycleEvent,
  type State,
  TRANSITIONS,
} from '../../../../../src/lib/http/server/machine/connection-core.ts';

const README = new URL('../../../../../src/lib/http/README.md', import.meta.url);

const EVENTS: readonly LifecycleEvent[] = ['stop', 'end', 'last', 'close'];
const STATES: readonly State[] = ['open', 'draining', 'ending', 'lingering', 'closed'];

it('the README has the transitions of a connection, and no others', () => {
  const rows = STATES.map((state) => [
    `\`${state}\``,
    ...EVENTS.map((event) => TRANSITIONS[state][event] ?? ''),
  ]);
  const header = ['state', ...EVENTS.map((event) => `\`${event}\``)];
  const [, table = ''] = readFileSync(README, 'utf8').split('<!-- transitions -->');
  const lines = table.trim().split('\n');
  const cells = lines.map((line) => line.split('|').map((cell) => cell.trim().slice(0)));
  assert.deepEqual(
    cells.filter((_, i) => i !== 1).map((row) => row.slice(1, -1)),
    [header, ...rows],
  );
});

it('a connection never goes back, and closes from wherever it is', () => {
  for (const [i, state] of STATES.entries()) {
    for (const event of EVENTS) {
      const next = TRANSITIONS[state][event];
      if (next !== undefined) assert(STATES.indexOf(next) > i, `${state} and ${event}`);
    }
    assert.equal(TRANSITIONS[state].close ?? state, 'closed');
  }
});
