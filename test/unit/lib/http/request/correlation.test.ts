import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requestIdOf, traceIdOf } from '../../../../../src/lib/http/request/header-section.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('the request id of a client', () => {
  it('is 1 to 200 letters, digits and marks, as gateways make them', () => {
    const haproxy = '7F000001:8296_7F00001E:1F90_4F7B0A69_0003:790';
    const [aws, apache] = ['Root=1-67891233-abcdef012345678912345678', 'XkS1oH8AAQEAAAv@b;+/='];
    for (const id of ['a', 'Abc.1_2-3', haproxy, aws, apache, 'x'.repeat(200)])
      assert.equal(requestIdOf(id), id);
  });

  it('is nothing else, and not one of several', () => {
    for (const field of [
      '',
      'a b',
      'a,b',
      'é',
      'a\n',
      'x'.repeat(201),
      'a"b',
      'a\\b',
      'a\x1b',
      ['a'],
      undefined,
    ]) {
      assert.equal(requestIdOf(field), undefined);
    }
  });
});

describe('the trace id of traceparent', () => {
  it('is its second part, whatever a later version appends', () => {
    for (const field of [
      `00-${TRACE}-${PARENT}-01`,
      `01-${TRACE}-${PARENT}-01`,
      `01-${TRACE}-${PARENT}-01-more`,
    ]) {
      assert.equal(traceIdOf(field), TRACE, field);
    }
  });

  it('is none of a field that is absent, repeated or not valid', () => {
    for (const field of [
      undefined,
      [`00-${TRACE}-${PARENT}-01`],
      '',
      TRACE,
      `00-${TRACE}-${PARENT}-01-more`,
      `01-${TRACE}-${PARENT}-01more`,
      `ff-${TRACE}-${PARENT}-01`,
      `00-${'0'.repeat(32)}-${PARENT}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      `00-${TRACE}-${PARENT}-1`,
      ` 00-${TRACE}-${PARENT}-01`,
    ]) {
      assert.equal(traceIdOf(field), undefined, String(field));
    }
  });
});
