import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { elementTexts, mergePatch } from '../../../../src/lib/json/index.ts';

describe('a merge patch', () => {
  // The test cases of RFC 7396, appendix A.
  for (const [target, patch, result] of [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{"__proto__":{"a":1}}', '{"__proto__":{"b":2}}', '{"__proto__":{"a":1,"b":2}}'],
  ] as const) {
    it(`${patch} of ${target} is ${result}`, () => {
      const given = JSON.parse(target);
      assert.equal(JSON.stringify(mergePatch(given, JSON.parse(patch))), result);
      assert.equal(JSON.stringify(given), target, 'the target stays as it is');
    });
  }
});

it('the text of an array is split into those of its elements', () => {
  const texts = fc.array(fc.json({ maxDepth: 3 }).map((text) => JSON.stringify(JSON.parse(text))));
  fc.assert(
    fc.property(texts, (elements) => {
      assert.deepEqual([...elementTexts(`[${elements}]`)], elements);
    }),
  );
  const escaped = ['"\\\\"', '"]"', '"\\","', '{"],[":"}"}', '[[],[]]', '""', '[]'];
  assert.deepEqual([...elementTexts(`[${escaped}]`)], escaped);
});
