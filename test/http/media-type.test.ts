import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptsJson, isJson, parseMediaType } from '../../src/http/media-type.ts';

describe('isJson', () => {
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; ; x=y',
    'application/vnd.api+json',
    'application/merge-patch+JSON; profile="a;b"',
  ]) {
    it(`${type}: yes`, () => assert.equal(isJson(type), true));
  }

  for (const type of [
    '',
    'json',
    'text/json',
    'text/plain',
    'application/json5',
    'application/+json',
    'application/json; charset=latin1',
    'application/json, application/json',
    'application/json; charset',
    'application/json; charset=',
    'application/json charset=utf-8',
    'application/x-www-form-urlencoded',
  ]) {
    it(`${JSON.stringify(type)}: no`, () => assert.equal(isJson(type), false));
  }
});

describe('acceptsJson', () => {
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
  ]) {
    it(`${accept}: yes`, () => assert.equal(acceptsJson(accept), true));
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
    it(`${accept}: no`, () => assert.equal(acceptsJson(accept), false));
  }
});

describe('parseMediaType', () => {
  it('reads parameters: names without case, values as they are, quoted ones without their quotes', () => {
    const media = parseMediaType('Text/Plain; Charset=UTF-8; x="a\\"b"');
    assert.equal(`${media?.type}/${media?.subtype}`, 'text/plain');
    assert.deepEqual(
      [...(media?.parameters ?? [])],
      [
        ['charset', 'UTF-8'],
        ['x', 'a"b'],
      ],
    );
  });
});
