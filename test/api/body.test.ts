import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertProblem, describeApi, violationsIn } from './suite.ts';

const MAX_BODY_BYTES = 64 * 1024;
const json = (title: string): string => JSON.stringify({ title });

/** A body of exactly this many bytes. */
function bodyOf(bytes: number): string {
  const frame = JSON.stringify({ title: 'x', createdAt: '' });
  return frame.replace('""', `"${'i'.repeat(bytes - frame.length)}"`);
}

/** An object nested this many levels deep. */
function nested(levels: number): string {
  return `{"title":"x","createdAt":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
}

describeApi('request bodies', 'Requests', (api) => {
  it('must be an object, and the detail says so', async () => {
    const utf16 = Buffer.from(json('x'), 'utf16le');
    for (const body of ['[', '[{"title":"x"', '{', '', '\ufeff\ufeff{}', utf16, nested(20_000)]) {
      const answer = await api.send('POST', api.collection, body);
      const { detail } = assertProblem(answer, 400, 'malformed-body');
      assert.match(detail, /must be a JSON object in UTF-8/);
    }
    const { id } = await api.create();
    for (const [body, found] of [
      ['[]', 'an array'],
      ['null', 'null'],
      ['1e9', 'a number'],
      ['true', 'a boolean'],
    ] as const) {
      const answer = await api.send('PUT', api.itemPath(id), body);
      const { detail } = assertProblem(answer, 400, 'malformed-body');
      assert.equal(detail, `The content is ${found}; it must be a JSON object in UTF-8`);
    }
  });

  it('quotes malformed JSON in well-formed Unicode', async () => {
    for (const length of [7, 8, 9, 10]) {
      const answer = await api.send(
        'POST',
        api.collection,
        `{"title":${'x'.repeat(length)}${'😀'.repeat(40)}`,
      );
      assert(assertProblem(answer, 400, 'malformed-body').detail.isWellFormed());
    }
  });

  it('accepts one byte order mark, 32 levels, and surrounding white space', async () => {
    for (const body of [`\ufeff${json('x')}`, ` \r\n\t${json('x')}\n`]) {
      assert.equal((await api.send('POST', api.collection, body)).status, 201, body.slice(0, 40));
    }
    // No member has levels of its own, but the content is read.
    const deepest = await api.send('POST', api.collection, nested(32));
    assert.deepEqual(violationsIn(deepest), ['#/createdAt read-only']);
    assertProblem(await api.send('POST', api.collection, nested(33)), 400, 'malformed-body');
  });

  it('rejects a Content-Length over 64 KiB before it checks the query string and the path', async () => {
    const long = bodyOf(MAX_BODY_BYTES + 1);
    for (const target of [`${api.collection}?%zz`, '/nowhere']) {
      assertProblem(await api.send('POST', target, long), 413, 'content-too-large');
      assert.notEqual((await api.send('POST', target, '{}')).status, 413);
    }
  });

  it('returns 415 for a missing Content-Type', async () => {
    for (const [method, path] of [
      ['POST', api.collection],
      ['PUT', api.itemPath(1)],
    ] as const) {
      const answer = await api.client.request(method, path, { body: json('x') });
      const { detail } = assertProblem(answer, 415, 'unsupported-media-type');
      assert.equal(detail, 'Content-Type is missing; send application/json');
    }
  });

  it('accepts no content coding but identity', async () => {
    const send = (coding: string) =>
      api.send('POST', api.collection, json('x'), { 'content-encoding': coding });
    for (const coding of ['identity', ' Identity ']) assert.equal((await send(coding)).status, 201);
    for (const coding of ['gzip', 'gzip, identity']) {
      const answer = await send(coding);
      const { detail } = assertProblem(answer, 415, 'unsupported-media-type');
      assert.equal(detail, `Content-Encoding must be absent or identity, not ${coding}`);
      const { 'accept-encoding': codings, 'accept-post': types } = answer.headers;
      assert.deepEqual([codings, types], ['identity', 'application/json']);
    }
  });

  it('ignores a body where none is expected', async () => {
    const { id } = await api.create();
    assert.equal((await api.send('DELETE', api.itemPath(id), '{')).status, 204);
    // As clients do that name the type in every request.
    const other = await api.create();
    const headers = { 'content-type': 'application/json' };
    const answer = await api.client.request('DELETE', api.itemPath(other.id), { headers });
    assert.equal(answer.status, 204);
  });
});
