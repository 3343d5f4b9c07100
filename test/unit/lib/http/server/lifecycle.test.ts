import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import {
  type ConnectionActions,
  ConnectionCore,
  type State,
} from '../../../../../src/lib/http/server/machine/connection-core.ts';
import { PendingExchange } from '../../../../../src/lib/http/server/machine/pending-exchange.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/lib/http/server/settings.ts';

const README = new URL('../../../../../src/lib/http/README.md', import.meta.url);

class Exchange extends PendingExchange {
  readonly textBytes = 100;
}

/** The events that change the state of a connection, with a request that is owed a response. */
const EVENTS: Readonly<Record<string, (core: ConnectionCore<Exchange>, owed: Exchange) => void>> = {
  end: (core) => core.end(),
  last: (core, owed) => core.beginResponse(owed, true),
  close: (core) => core.close(),
};

const STATES: Readonly<Record<State, readonly string[]>> = {
  open: [],
  ending: ['end'],
  lingering: ['last'],
  closed: ['close'],
};

/** The state after some events. */
function stateAfter(events: readonly string[]): State {
  const nothing = () => {};
  const actions: ConnectionActions<Exchange> = {
    ...{ isStopping: false, stopsSince: 0, serve: nothing, beginSoon: nothing, addBytes: nothing },
    ...{ endSide: nothing, disconnect: nothing },
  };
  const traffic = { bytesRead: 0, bytesWritten: 0, writableLength: 0 };
  const core = new ConnectionCore<Exchange>(traffic, DEFAULT_SETTINGS, actions, 0);
  const owed = new Exchange();
  core.add(owed);
  for (const event of events) EVENTS[event]?.(core, owed);
  return core.state;
}

it('the README has the transitions of a connection, and no others', () => {
  const rows = Object.entries(STATES).map(([state, before]) => [
    `\`${state}\``,
    ...Object.keys(EVENTS).map((event) => {
      const next = stateAfter([...before, event]);
      return next === state ? '' : next;
    }),
  ]);
  const header = ['state', ...Object.keys(EVENTS).map((event) => `\`${event}\``)];
  const [, table = ''] = readFileSync(README, 'utf8').split('<!-- transitions -->');
  const lines = table.trim().split('\n');
  const cells = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  assert.deepEqual(
    cells.filter((_, i) => i !== 1).map((row) => row.slice(1, -1)),
    [header, ...rows],
  );
});
