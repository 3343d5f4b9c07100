import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  matchesMediaType,
  parseMediaType,
  qualityOf,
} from '../../../../../src/lib/http/request/field-values.ts';

const JSON_TYPES = ['application/json', 'application/*+json'];

describe('matchesMediaType JSON', () => {
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json; charset=UTF8',
    'application/json; charset="utf8"',
    'application/json;charset="UTF-8"',
    'application/json ; ; x=y',
    'application/vnd.api+json',
    'application/merge-patch+JSON; profile="a;b"',
  ]) {
    it(`${type}: yes`, () => assert.equal(matchesMediaType(type, JSON_TYPES), true));
  }

  for (const type of [
    '',
    'json',
    'text/json',
    'text/plain',
    'application/json5',
    'application/+json',
    'application/atom+xml',
    'text/x+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-88',
    'application/json; charset=utf_8',
    'application/json, application/json',
    'application/json; charset',
    'application/json; charset=',
    'application/json charset=utf-8',
    'application/x-www-form-urlencoded',
  ]) {
    it(`${JSON.stringify(type)}: no`, () =>
      assert.equal(matchesMediaType(type, JSON_TYPES), false));
  }
});

const quality = (accept: string | undefined) => qualityOf('application/json', accept);

describe('the quality of JSON under Accept', () => {
  for (const accept of [
    undefined,
    '',
    '*/*',
    'application/*',
    'APPLICATION/Json',
    'text/html, application/json;q=0.001',
    'text/html, */*;q=0.1',
    'application/json;q=1, */*;q=0',
    'application/*;q=0, application/json',
    'text/html;x=",", */*',
    'nonsense, application/json',
    ',',
    ' , ,\t,',
  ]) {
    it(`${accept}: above zero`, () => assert(quality(accept) > 0));
  }

  for (const accept of [
    'text/html',
    'application/xml, text/*',
    'application/json;q=0',
    '*/*;q=0',
    'application/json;q=0.000, */*',
    'application/*;q=0, */*',
    'application/problem+json',
    'text/html;x=", application/json"',
  ]) {
    it(`${accept}: zero`, () => assert.equal(quality(accept), 0));
  }

  it('is the weight of the most specific range, or the greatest of several', () => {
    for (const [accept, weight] of [
      ['application/json;q=0.3, */*;q=0.8', 0.3],
      ['*/*;q=0.8, application/json;q=0.3', 0.3],
      ['application/json;q=0.3, application/*;q=0.8', 0.3],
      ['application/*;q=0.3, */*;q=0.8', 0.3],
      ['*/*;q=0.2, application/*;q=0.4, text/html', 0.4],
      ['application/json;q=0.2;x=y, application/json;q=0.5', 0.5],
      ['text/html, application/json;q=0.9', 0.9],
      ['application/json;q=5', 1],
      ['application/json;q=-1', 0],
      ['application/json;q=much', 0],
    ] as const) {
      assert.equal(quality(accept), weight, accept);
    }
    assert.equal(qualityOf('text/html', 'text/html, application/json;q=0.9'), 1);
  });
});

describe('parseMediaType', () => {
  it('parses parameters: names in lower case, values as sent, without quotes', () => {
    const media = parseMediaType('Text/Plain; Charset=UTF-8; x="a\\"b"');
    assert.equal(media?.essence, 'text/plain');
    assert.deepEqual(
      [...(media?.parameters ?? [])],
      [
        ['charset', 'UTF-8'],
        ['x', 'a"b'],
      ],
    );
  });
});
