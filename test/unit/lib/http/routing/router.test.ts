import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../../../../../src/lib/http/messages/problem.ts';
import { Router } from '../../../../../src/lib/http/routing/router.ts';
import { route } from '../../../../support/route.ts';

const none = () => ({ status: 204 });
const LIST = route('GET', '/api/notes', none);
const CREATE = route('POST', '/api/notes', none);
const ITEM = route('GET', '/api/notes/{id}', none);
const UPDATE = route('PUT', '/api/notes/{id}', none);
const SPECIAL = route('GET', '/api/notes/special', none);
const PATCHED = route('PATCH', '/patched', none, { content: { mediaTypes: ['text/a', 'text/b'] } });

describe('Router', () => {
  const router = new Router([LIST, CREATE, ITEM, UPDATE, SPECIAL, PATCHED]);
  const find = (method: string, path: string) =>
    router.find(method, path) ?? assert.fail(`no path ${path}`);
  const refuses = (method: string, path: string): Problem => {
    assert.equal(routeOf(method, path), undefined);
    return find(method, path).methodNotAllowed(method);
  };
  // OPTIONS handlers respond synchronously, and ignore the request.
  const options = (path: string) => routeOf('OPTIONS', path)?.handle(undefined as never);

  const routeOf = (method: string, path: string) => find(method, path).route(method);

  it('finds routes by method and path', () => {
    assert.equal(routeOf('GET', '/api/notes'), LIST);
    assert.equal(routeOf('POST', '/api/notes'), CREATE);
  });

  it('returns the parameter exactly as sent', () => {
    assert.equal(routeOf('GET', '/api/notes/%31'), ITEM);
    const pathRoutes = find('GET', '/api/notes/%31');
    assert.equal(pathRoutes.path, '/api/notes/{id}');
    assert.equal(pathRoutes.parameterOf('/api/notes/%31'), '%31');
    assert.equal(find('GET', '/api/notes').parameterOf('/api/notes'), '');
  });

  it('prefers a literal segment to a parameter', () => {
    assert.equal(routeOf('GET', '/api/notes/special'), SPECIAL);
  });

  it('serves HEAD with the route of GET', () => {
    assert.equal(routeOf('HEAD', '/api/notes'), LIST);
  });

  for (const path of [
    '',
    '*',
    '/',
    '/api',
    '/api/notes/',
    '/api//notes',
    '/api/notes/1/',
    '/api/notes/1/2',
    '/api/other/1',
    '/api/notes/..',
    '/api/notes/.%2E',
    'api/notes',
  ]) {
    it(`finds no path ${JSON.stringify(path)}`, () => {
      assert.equal(router.find('GET', path), undefined);
    });
  }

  it('lists the methods of a path in a fixed order', () => {
    const problem = refuses('DELETE', '/api/notes');
    assert.equal(problem.code, 'method-not-allowed');
    assert.deepEqual(problem.headers, { Allow: 'GET, HEAD, POST, OPTIONS' });
    const headers = { Allow: 'GET, HEAD, PUT, OPTIONS' };
    assert.deepEqual(options('/api/notes/1'), { status: 204, headers });
  });

  it('lists the media types that PATCH accepts on a path', () => {
    const headers = { Allow: 'PATCH, OPTIONS', 'Accept-Patch': 'text/a, text/b' };
    assert.deepEqual(options('/patched'), { status: 204, headers });
    assert.deepEqual(refuses('GET', '/patched').headers, headers);
  });

  it('lists all methods for *', () => {
    const headers = { Allow: 'GET, HEAD, POST, PUT, PATCH, OPTIONS' };
    assert.deepEqual(options('*'), { status: 204, headers });
    assert.equal(find('OPTIONS', '*').path, '*');
    assert.equal(router.find('GET', '*'), undefined);
  });

  it('rejects two routes with the same method and path', () => {
    assert.throws(() => new Router([LIST, LIST]), /two routes for GET/);
  });
});
