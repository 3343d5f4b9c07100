import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../../../../../src/lib/http/core/problem.ts';
import { CONNECTION_BYTES } from '../../../../../src/lib/http/server/machine/connection-core.ts';
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

/** Cores with a fault, by what it is, and how the simulation finds it. */
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
  'serves requests after the last one': [
    class extends Core {
      override accept() {
        super.accept();
        return true;
      }
    },
    /after the last response|it is counted/,
  ],
  'forgets a request': [
    class extends Core {
      override finish() {
        super.finish();
        super.finish();
      }
    },
    /order|footprint/,
  ],
  'serves a request twice': [
    class extends Core {
      override begin(request: SimulatedRequest) {
        super.begin(request);
        super.begin(request);
      }
    },
    /handled once|after the last response|order/,
  ],
  'responds to bytes that may be content': [
    class extends Core {
      override fail(problem: Problem) {
        super.fail(problem);
        return true;
      }
    },
    /order|last|closes in the end|it is counted/,
  ],
  'waits for responses that nobody is owed': [
    class extends Core {
      override owesResponses() {
        return true;
      }
    },
    /after a stop|closes in the end/,
  ],
  'does not end': [
    class extends Core {
      override end() {}
    },
    /closes in the end/,
  ],
  'does not end its side after the last response': [
    class extends Core {
      override sentLast() {}
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
    /footprint/,
  ],
  'does not report what it takes': [
    class extends Core {
      override addContent(pieceBytes: number) {
        super.addContent(pieceBytes, 0);
      }
    },
    /it is counted/,
  ],
};

describe('the simulation finds out a core that', () => {
  for (const [name, [Faulty, found]] of Object.entries(FAULTS)) {
    it(name, () => {
      assert.throws(() => playEvents(300_000, 1, (connection) => new Faulty(connection)), found);
    });
  }
});
