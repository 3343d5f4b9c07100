import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, startAdmin, TOKEN } from '../support/admin.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LIST } from '../support/paths.ts';
import { exchangeBytes } from '../support/raw.ts';
import { createRequest } from '../support/raw-requests.ts';
import { appOf, startApp } from '../support/service.ts';
import { assertProblem } from './suite.ts';

describe('the admin paths', () => {
  it('do not exist without a token', async (test) => {
    const { client } = await startApp(test, variant);
    for (const [method, path] of [
      ['POST', '/admin/reset'],
      ['GET', '/admin/faults'],
      ['GET', '/admin/x'],
    ] as const) {
      const answer = await client.request(method, path, { headers: AUTHORIZED });
      const { detail } = assertProblem(answer, 404, 'unknown-path');
      assert.equal(detail, `No resource has the path ${path}; set ADMIN_TOKEN to have it`);
    }
  });

  it('require the token, whether a route has the path or not', async (test) => {
    const { client, admin } = await startAdmin(test, variant);
    const wrong = ['', 'Bearer', 'Bearer x', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(0, -1)}`];
    for (const authorization of [undefined, ...wrong, `Basic ${TOKEN}`, TOKEN]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      for (const path of ['/admin/reset', '/admin/faults', '/admin/', '/admin/none']) {
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
          const answer = await client.request(method, path, { headers });
          assertProblem(answer, 401, 'unauthorized');
          assert.equal(answer.headers['www-authenticate'], 'Bearer');
          assert.equal(answer.headers['cache-control'], 'no-store');
        }
      }
    }
    const { detail } = assertProblem(await admin('GET', '/admin/none'), 404, 'unknown-path');
    assert.equal(detail, `No resource has the path /admin/none; the items are at ${LIST}`);
    const journal = assertProblem(await admin('GET', '/admin/journal'), 404, 'unknown-path');
    assert.match(journal.detail, /\/admin\/journal; did you mean \/admin\/requests\?$/);
    assertProblem(await admin('GET', '/admin/reset'), 405, 'method-not-allowed');
    const lower = { authorization: `bearer ${TOKEN}` };
    assert.equal((await client.get('/admin/faults', lower)).status, 200);
  });

  it('refuse a malformed request as such, with or without the token', async (test) => {
    const { port } = await startAdmin(test, variant);
    for (const [fields, status] of [
      ['', 400],
      ['Host: a\r\nHost: b\r\n', 400],
      ['Host: a\r\nTransfer-Encoding: gzip, chunked\r\n', 501],
      ['Host: a\r\nExpect: x\r\n', 417],
    ] as const) {
      const request = `PUT /admin/faults HTTP/1.1\r\n${fields}\r\n`;
      const [response] = (await exchangeBytes(port, request)).responses;
      assert.equal(response?.status, status, fields);
    }
  });

  it('refuse a request without the token before its content has arrived', async (test) => {
    const { connect } = await startAdmin(test, variant);
    const length = 'Content-Length: 500000\r\n';
    for (const fields of [length, `${length}Expect: 100-continue\r\n`]) {
      const raw = await connect();
      raw.send(createRequest({ path: '/admin/reset', fields, body: '' }));
      const response = await raw.next();
      assert.equal(response?.status, 401);
      assert.equal(response.headers.connection, 'close');
    }
  });
});

it('the token can be in a file', async (test) => {
  const folder = temporaryFolder();
  const file = join(folder, 'token');
  for (const lineEnd of ['\n', '\r\n']) {
    writeFileSync(file, `${TOKEN}${lineEnd}`);
    const { client } = await startApp(test, variant, { env: { ADMIN_TOKEN_FILE: file } });
    assert.equal((await client.get('/admin/faults', AUTHORIZED)).status, 200);
  }
  const both = { ADMIN_TOKEN: TOKEN, ADMIN_TOKEN_FILE: file };
  assert.throws(() => appOf(variant, { env: both }), /set ADMIN_TOKEN or .*_FILE, not both/);
  writeFileSync(file, 'two words');
  const bad = { ADMIN_TOKEN_FILE: file };
  assert.throws(() => appOf(variant, { env: bad }), /ADMIN_TOKEN_FILE must name a file/);
  const none = { ADMIN_TOKEN_FILE: join(folder, 'none') };
  assert.throws(() => appOf(variant, { env: none }), /cannot be read/);
});
