import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMasks } from '../../../src/lib/masks.ts';

const masks = createMasks(['title', 'session', 'sig']);

describe('masks', () => {
  it('hide the values of header fields with secret names', () => {
    for (const name of [
      ...['authorization', 'Proxy-Authorization', 'cookie', 'X-CSRF-Token', 'x-auth-tokens'],
      ...['x-api-key', 'ApiKey', 'API_KEY', 'client-secret', 'Password', 'x-passwd'],
      ...['Credentials', 'X-JWT', 'X-Session-Id', 'X-Amz-Signature', 'jsessionid'],
      ...['X-Auth', 'auth', 'user_pwd', 'x.sig', 'UserPwd', 'xAuth'],
    ]) {
      assert.equal(masks.field(name, 'hidden'), '[…]', name);
    }
    for (const name of ['X-Author', 'authority', 'signal', 'x-test', 'pwdx', 'key', 'cookies2']) {
      assert.equal(masks.field(name, 'shown'), 'shown', name);
    }
  });

  it('hide the values of parameters with secret names, in targets and in Referer', () => {
    for (const [text, shown] of [
      ['/a', '/a'],
      ['/token=x', '/token=x'],
      ['/a?', '/a?'],
      ['/a?access_token=x&b=c', '/a?access_token=[…]&b=c'],
      ['/a?b=c&%61uth=x=y?z&&token', '/a?b=c&%61uth=[…]&&token'],
      ['/a?api%2Dkey=&Sig=x', '/a?api%2Dkey=[…]&Sig=[…]'],
      ['/a?my+jwt=x&%zz-token=y&%zz=y', '/a?my+jwt=[…]&%zz-token=[…]&%zz=y'],
      ['/a?author=x&design=y', '/a?author=x&design=y'],
      ['http://u:p@h/a?token=x#y', 'http://u:p@h/a?token=[…]'],
    ] as const) {
      assert.equal(masks.target(text), shown);
      assert.equal(masks.field('Referer', text), shown);
      assert.equal(masks.field('x-url', text), text);
    }
  });

  it('show filters by members, with and without an operator', () => {
    const text =
      '/a?session=x&session.eq=y&sig.in=z&title.contains=token&session-id=w&sessions.eq=v';
    const shown =
      '/a?session=x&session.eq=y&sig.in=z&title.contains=token&session-id=[…]&sessions.eq=[…]';
    assert.equal(masks.target(text), shown);
    assert.equal(masks.field('session', 'x'), '[…]', 'a header field is no filter');
  });
});
