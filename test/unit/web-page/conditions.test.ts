import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  CONDITIONS,
  type Fault,
  faultsOf,
  hitsOf,
  PAGE_FIELD,
  situationOf,
  withCondition,
} from '../../../src/web-page/client/desk/conditions.ts';

const PATH = '/api/todos';

/** The fault that spares the page, with its members in another order. */
const SPARING = { delayMs: 0, requestHeaders: { [PAGE_FIELD[0]]: PAGE_FIELD[1] } };

/** The faults of all conditions, and others that look like them. */
const SOME_FAULTS: readonly Fault[] = [
  { abort: 'before' },
  { path: PATH, abort: 'before' },
  { status: 503 },
  { path: PATH, status: 404, hits: 2 },
  { path: PATH, status: 204 },
  { path: `${PATH}/1`, status: 503 },
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({ method, path: PATH, status: 500 })),
  { rate: 0.3, status: 503 },
  { rate: 0.3, status: 503, delayMs: 300 },
  { delayMs: 700 },
  { path: PATH, delayMs: 1000, hits: 1 },
  SPARING,
  { responseDelayMs: 300, path: PATH },
  { times: 1, abort: 'after' },
];

const situations = fc
  .tuple(
    fc.boolean(),
    fc.shuffledSubarray(CONDITIONS.map((_, index) => index)),
    fc.array(fc.constantFrom(503, 0.3, 700, 1000)),
  )
  .map(([isPageSpared, order, choices]) =>
    order.reduce(
      (situation, index, at) => {
        const condition = CONDITIONS[index] ?? assert.fail();
        const choice = condition.member && Math.max(choices[at] ?? 0, condition.minimum);
        return withCondition(situation, condition, Number(choice), PATH);
      },
      situationOf(isPageSpared ? [SPARING] : [], PATH),
    ),
  );

const withoutHits = (faults: readonly Fault[]) => faults.map(({ hits: _, ...fault }) => fault);

/** The faults of a condition with its first usual choice, as one that was set. */
const faultsFor = (name: string, choice = 503) => {
  const condition = CONDITIONS.find((each) => each.name === name) ?? assert.fail(name);
  return { condition, faults: condition.faultsOf(choice).map((f) => ({ path: PATH, ...f })) };
};

describe('the conditions of the desk', () => {
  it('are found in their own faults', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        assert.deepEqual(situationOf(faultsOf(situation), PATH), situation);
      }),
    );
  });

  it('lose no fault and change no order, whoever set the faults', () => {
    const faults = fc.array(fc.constantFrom(...SOME_FAULTS), { maxLength: 12 });
    fc.assert(
      fc.property(faults, (set) => {
        assert.deepEqual(faultsOf(situationOf(set, PATH)), withoutHits(set));
      }),
    );
  });

  it('are those of any value, with or without the path, and other faults are not', () => {
    for (const [fault, name, choice] of [
      [{ delayMs: 700 }, 'slow', 700],
      [{ path: PATH, delayMs: 1 }, 'slow', 1],
      [{ status: 404 }, 'down', 404],
      [{ abort: 'before', hits: 3 }, 'offline', 0],
      [{ status: 503, rate: 0.25 }, 'flaky', 0.25],
      [{ status: 204 }, undefined, 0],
      [{ path: '/api', delayMs: 700 }, undefined, 0],
      [{ delayMs: 700, times: 1 }, undefined, 0],
      [{ abort: 'reset' }, undefined, 0],
    ] as const) {
      const { parts } = situationOf([fault], PATH);
      assert.deepEqual(
        parts.map((part) => [part.condition?.name, part.choice, part.faults]),
        [[name, choice, [fault]]],
      );
    }
  });

  it('count the hits of all their faults', () => {
    const { faults } = faultsFor('writes');
    const [part = assert.fail()] = situationOf(
      faults.map((fault, hits) => ({ ...fault, hits })),
      PATH,
    ).parts;
    assert.equal(hitsOf(part), 0 + 1 + 2 + 3);
  });

  it('begin before faults that would keep requests from them, and after special ones', () => {
    const special = { path: `${PATH}/7`, status: 500 };
    const general = { delayMs: 5, responseDelayMs: 5 };
    const set = [special, ...faultsFor('slow').faults, general];
    const on = (name: string) => {
      const { condition } = faultsFor(name);
      return faultsOf(withCondition(situationOf(set, PATH), condition, 503, PATH));
    };
    assert.deepEqual(on('flaky'), [
      special,
      { path: PATH, rate: 503, status: 503 },
      ...faultsFor('slow').faults,
      general,
    ]);
    assert.deepEqual(on('down'), [special, { path: PATH, status: 503 }, general]);
    assert.deepEqual(on('late'), [special, { path: PATH, responseDelayMs: 503 }, general]);
  });
});
