import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  CONDITIONS,
  type Fault,
  type Faults,
  PAGE_FIELD,
  SPARING,
  situationOf,
  textOf,
  without,
} from '../../../src/web-page/client/desk/conditions.ts';

const PATH = '/api/todos';

/** The faults of a condition with a choice, as the desk sets them, or for all paths. */
const faultsFor = (name: string, choice = 503, scope: Fault = { path: PATH }) => {
  const condition = CONDITIONS.find((each) => each.name === name) ?? assert.fail(name);
  return condition.faultsOf(scope, choice);
};

/** Faults that belong to no switch. */
const OTHERS: Faults = [
  { path: `${PATH}/1`, status: 503 },
  { path: PATH, status: 204 },
  { method: 'POST', path: PATH, status: 418 },
  { path: PATH, rate: 0.3, delayMs: 300, status: 503 },
  { times: 1, abort: 'after' },
  { path: PATH, headers: { 'X-Limit': '3' } },
  { path: PATH, contentPatch: { priority: null } },
  { requestHeaders: { authorization: 'x' }, pass: true },
];

/** Switches that are on, with their choices, and other faults, in any order. */
const lists = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...CONDITIONS), { selector: ({ name }) => name }),
    fc.array(fc.constantFrom(0.3, 503, 700), { minLength: 6, maxLength: 6 }),
    fc.boolean(),
    fc.boolean(),
    fc.subarray([...OTHERS]),
  )
  .chain(([on, choices, isScoped, isSpared, others]) => {
    const parts = on.map(({ name, member, minimum, faultsOf }, at) => {
      const choice = member === '' ? 0 : Math.max(choices[at] ?? 0, minimum);
      return { name, choice, faults: faultsOf(isScoped ? { path: PATH } : {}, choice) };
    });
    const own = [...parts.flatMap(({ faults }) => faults), ...(isSpared ? [SPARING] : [])];
    const all = [...own, ...others];
    return fc
      .shuffledSubarray(all, { minLength: all.length })
      .map((faults) => ({ parts, isSpared, others, faults }));
  });

describe('the conditions of the desk', () => {
  it('are found at any place of a list, and what is no switch is left in its order', () => {
    fc.assert(
      fc.property(lists, ({ parts, isSpared, others, faults }) => {
        const set = faults.map((fault, hits) => ({ ...fault, hits }));
        const found = situationOf(set, PATH);
        assert.deepEqual(
          [...found.parts].map(([name, { choice }]) => [name, choice]).sort(),
          parts.map(({ name, choice }) => [name, choice]).sort(),
        );
        for (const { name, faults: own } of parts) {
          const texts = found.parts.get(name)?.faults.map(textOf) ?? [];
          assert.deepEqual(texts.sort(), own.map(textOf).sort(), name);
        }
        assert.deepEqual(found.sparing.map(textOf), isSpared ? [textOf(SPARING)] : []);
        const inOrder = faults.filter((fault) => others.includes(fault));
        assert.deepEqual(found.others.map(textOf), inOrder.map(textOf));
      }),
    );
  });

  it('are those of any value, with or without the path, and other faults are not', () => {
    for (const [fault, name, choice] of [
      [{ delayMs: 700 }, 'slow', 700],
      [{ path: PATH, delayMs: 1 }, 'slow', 1],
      [{ status: 404 }, 'down', 404],
      [{ abort: 'before', hits: 3 }, 'offline', 0],
      [{ rate: 0.25, status: 503 }, 'flaky', 0.25],
      [{ responseDelayMs: 12 }, 'late', 12],
      [{ status: 204 }, undefined, 0],
      [{ path: '/api', delayMs: 700 }, undefined, 0],
      [{ delayMs: 700, times: 1 }, undefined, 0],
      [{ abort: 'reset' }, undefined, 0],
    ] as const) {
      const { parts, others } = situationOf([fault], PATH);
      const expected = name === undefined ? [] : [[name, { choice, faults: [fault] }]];
      assert.deepEqual([...parts], expected);
      assert.deepEqual(others, name === undefined ? [fault] : []);
    }
  });

  it('need all of their faults', () => {
    const [post = {}, ...rest] = faultsFor('writes');
    assert.deepEqual(situationOf(rest, PATH).parts.size, 0);
    assert.deepEqual(situationOf(rest, PATH).others, rest);
    const mixed = [...rest, { ...post, status: 500 }, { ...post, path: '/api' }];
    assert.deepEqual(situationOf(mixed, PATH).parts.size, 0);
    assert.deepEqual([...situationOf([...mixed, post], PATH).parts.keys()], ['writes']);
  });

  it('that are twice in a list are found once', () => {
    const faults = [...faultsFor('slow', 300), SPARING, ...faultsFor('slow', 700), { ...SPARING }];
    const { parts, sparing, others } = situationOf(faults, PATH);
    assert.equal(parts.get('slow')?.choice, 300);
    assert.equal(sparing.length, 1);
    assert.deepEqual(others.map(textOf), [...faultsFor('slow', 700), SPARING].map(textOf));
    assert.deepEqual(situationOf(without(faults, sparing), PATH).sparing.length, 1);
  });

  it('spare the page by its field, without its hits', () => {
    const [name, value] = PAGE_FIELD;
    const spared = { requestHeaders: { [name]: value }, pass: true, hits: 2 };
    assert.deepEqual(situationOf([spared], PATH).sparing, [spared]);
    assert.equal(textOf(spared), textOf(SPARING));
  });
});
