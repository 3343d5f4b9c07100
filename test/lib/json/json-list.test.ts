import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findJsonList } from '../../../src/lib/json/json-list.ts';
import { JsonTooDeepError, MalformedJsonError } from '../../../src/lib/json/json-object.ts';

/** The path, the other names and the elements; undefined if there is no list. */
function found(text: string | Buffer) {
  const steps = findJsonList(Buffer.from(text));
  let count = 0;
  for (;;) {
    const { done, value } = steps.next();
    if (!done) {
      count++;
      continue;
    }
    if (value === undefined) return undefined;
    const { path, others, length } = value;
    const elements = Array.from({ length }, (_, i) => value.elementText(i));
    return { path, others, elements, count };
  }
}

const elementsOf = (text: string | Buffer) => found(text)?.elements;

describe('a list in JSON', () => {
  it('is the text, whatever its elements are', () => {
    assert.deepEqual(elementsOf('[]'), []);
    assert.deepEqual(elementsOf(' [ ] \n'), []);
    const elements = [
      '1',
      '"a,]\\"}"',
      '{"x":[1,{"y":"\\\\"}]}',
      '[[],[]]',
      'true',
      '-1.5e3',
      '{}',
    ];
    assert.deepEqual(elementsOf(`[${elements.join(' ,\t')}]`), elements);
    assert.deepEqual(elementsOf('\ufeff["é","😀"]'), ['"é"', '"😀"']);
  });

  it('is the one member of the object that is a list', () => {
    const text = '{"a": {"b": [1]}, "é": [1, 2], "c": "x"}';
    const { path, others, elements } = found(text) ?? {};
    assert.deepEqual([path, others, elements], [['é'], ['a', 'c'], ['1', '2']]);
    assert.deepEqual(elementsOf('{"a":[1],"a":[2]}'), ['2'], 'the last of repeated ones counts');
    for (const none of ['{}', '{"a":1}', '{"a":[],"b":[]}', '{"a":[],"a":1}', '5', '"x"', 'null']) {
      assert.equal(found(none), undefined, none);
    }
  });

  it('is found in steps', () => {
    const elements = Array.from({ length: 20_000 }, (_, i) => `{"title":"${i}"}`);
    const list = found(`[${elements.join()}]`);
    assert.deepEqual(list?.elements, elements);
    assert(list.count > 5, `${list.count} steps`);
    assert((found(`{${'"a":[],'.repeat(50_000)}"b":1}`)?.count ?? 0) > 5);
  });

  it('has no text of an element that is nested too deeply, and no such member beside it', () => {
    const [deep, tooDeep] = [32, 33].map((levels) => '['.repeat(levels) + ']'.repeat(levels));
    assert.deepEqual(elementsOf(`[${deep},${tooDeep},{"a":${deep}},1]`), [
      ...[deep, undefined, undefined, '1'],
    ]);
    assert.throws(() => found(`{"a":[],"b":{"c":${deep}}}`), JsonTooDeepError);
  });

  it('is malformed where something is wrong beside the elements', () => {
    for (const text of [
      ...['', ' ', '[', '[1', '[1,', '[1,]', '[,1]', '[1 2]', '[1]]', '[1] x', '["a]', '["a\\"]'],
      ...['{', '{"a"', '{"a":', '{"a":[1]', '{"a":[1],}', '{a:[1]}', '{"a" [1]}', '{"a":x,"b":[]}'],
      ...['{"\\x":[]}', 'x', '[{]', '[}]', ']', '{"a":[1]}}', '[":]', '{"a":}', '[1\f]'],
      ...['[{\u0001}]', '[{"a":\f1}]', '[{"a":1\u0000}]', '{"a":\u0001,"b":[]}', '[\f1]'],
    ]) {
      assert.throws(() => found(text), MalformedJsonError, text);
    }
    assert.throws(() => found(Buffer.from([0x5b, 0xff, 0x5d])), /not valid UTF-8/);
    assert.throws(() => found('[1 2]'), /is not JSON \(unexpected "2" at byte 3\)/);
    assert.throws(() => found('[1'), /is not JSON \(it ends too soon\)/);
    assert.throws(() => found(''), /is empty/);
  });
});
