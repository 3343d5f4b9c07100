import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { CONNECTION_BYTES } from '../../../../../src/lib/http/server/machine/connection-core.ts';
import { ExchangeCore } from '../../../../../src/lib/http/server/machine/exchange-core.ts';
import { SEED } from '../../table/support/random.ts';
import { Core, type SimulatedRequest } from './support/connection.ts';
import { playEvents } from './support/play.ts';

describe('the core of a connection', () => {
  it(`serves clients of all kinds, in 50,000 events (seed ${SEED})`, () => {
    playEvents(50_000, SEED);
  });

  it('is played the same way from the same seed', () => {
    assert.equal(playEvents(2_000, 7), playEvents(2_000, 7));
    assert.notEqual(playEvents(2_000, 7), playEvents(2_000, 9));
  });
});

const README = new URL('../../../../../src/lib/http/README.md', import.meta.url);

/** The table of the README whose first cell has a word: next states by state and event. */
function tableOf(word: string): readonly string[] {
  const lines = readFileSync(README, 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${word} |`));
  const rows: string[][] = [];
  for (let i = start; lines[i]?.startsWith('|'); i++) {
    rows.push((lines[i] ?? '').split('|').map((cell) => cell.trim().replaceAll('`', '')));
  }
  const [events = [], , ...states] = rows;
  return states.flatMap((cells) =>
    cells.flatMap((cell, i) =>
      i < 2 || cell === ''
        ? []
        : cell.split(', ').map((next) => `${cells[1]} ${events[i]} ${next}`),
    ),
  );
}

/** Makes events of a class record changes of its state. @returns the changes, and how to stop */
function recordChanges(prototype: { readonly state: string }, events: readonly string[]) {
  const changes = new Set<string>();
  const originals = new Map<string, (...args: unknown[]) => unknown>();
  for (const event of events) originals.set(event, Reflect.get(prototype, event));
  for (const [event, original] of originals) {
    Reflect.set(prototype, event, function recorded(this: typeof prototype, ...args: unknown[]) {
      const before = this.state;
      const result = original.apply(this, args);
      if (this.state !== before) changes.add(`${before} ${event} ${this.state}`);
      return result;
    });
  }
  const stop = () => {
    for (const [event, original] of originals) Reflect.set(prototype, event, original);
  };
  return { changes, stop };
}

for (const [word, prototype, events] of [
  ['connection', Core.prototype, ['end', 'fail', 'beginResponse', 'finish', 'disconnect', 'close']],
  ['exchange', ExchangeCore.prototype, ['parsed', 'handle', 'begin', 'finish']],
] as const) {
  it(`the README has the transitions of ${word === 'exchange' ? 'an' : 'a'} ${word}, and no others`, () => {
    const { changes, stop } = recordChanges(prototype, events);
    try {
      playEvents(100_000, 1);
    } finally {
      stop();
    }
    assert.deepEqual([...changes].sort(), [...tableOf(word)].sort());
  });
}

/** Cores with a fault, and the message with which the simulation fails. */
const FAULTS: Readonly<Record<string, readonly [typeof Core, RegExp]>> = {
  'does not say which response is the last one': [
    class extends Core {
      override beginResponse(request: SimulatedRequest, close: boolean) {
        super.beginResponse(request, close);
        return false;
      }
    },
    /is the last one/,
  ],
  'forgets a request': [
    class extends Core {
      override finish() {
        super.finish();
        super.finish();
      }
    },
    /order|counts what it keeps|once|is served/,
  ],
  'handles a request before it has arrived': [
    class extends Core {
      override addContent(request: SimulatedRequest, piece: Buffer) {
        super.addContent(request, piece);
        request.state = 'waiting';
        this.parsed(request);
      }
    },
    /has arrived|handled once|closes in the end/,
  ],
  'does not end': [
    class extends Core {
      override end() {}
    },
    /closes in the end/,
  ],
  'lets any number of requests wait': [
    class extends Core {
      override add(request: SimulatedRequest) {
        const { isFinal } = request;
        super.add(request);
        request.isFinal = isFinal;
      }
    },
    /few requests wait/,
  ],
  'does not count what waits': [
    class extends Core {
      override get bytes() {
        return this.isClosed ? 0 : CONNECTION_BYTES;
      }
    },
    /counts what it keeps/,
  ],
  'keeps the work of a closed connection': [
    class extends Core {
      override close() {
        super.close();
        if (this.served) this.served.work = { bytes: 1 };
      }
    },
    /takes nothing any more/,
  ],
};

describe('the simulation finds out a core that', () => {
  for (const [name, [Faulty, found]] of Object.entries(FAULTS)) {
    it(name, () => {
      assert.throws(() => playEvents(50_000, 1, (connection) => new Faulty(connection)), found);
    });
  }
});
