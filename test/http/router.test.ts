import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../src/http/problem.ts';
import { Router } from '../../src/http/router.ts';

const LIST = { method: 'GET', path: '/api/todos' };
const CREATE = { method: 'POST', path: '/api/todos' };
const ITEM = { method: 'GET', path: '/api/todos/{id}' };
const SPECIAL = { method: 'GET', path: '/api/todos/special' };
const DEEP = { method: 'PUT', path: '/a/{x}/b/{y}' };

describe('Router', () => {
  const router = new Router([LIST, CREATE, ITEM, SPECIAL, DEEP]);
  const refuses = (method: string, path: string): Problem => {
    try {
      router.match(method, path);
    } catch (error) {
      if (error instanceof Problem) return error;
    }
    return assert.fail(`${method} ${path} is refused`);
  };

  it('finds routes by method and path', () => {
    assert.equal(router.match('GET', '/api/todos').route, LIST);
    assert.equal(router.match('POST', '/api/todos').route, CREATE);
  });

  it('hands over what stands in place of parameters, as it was sent', () => {
    assert.deepEqual(router.match('GET', '/api/todos/%31'), { route: ITEM, params: ['%31'] });
    assert.deepEqual(router.match('PUT', '/a/1/b/2').params, ['1', '2']);
  });

  it('prefers a literal segment to a parameter', () => {
    assert.equal(router.match('GET', '/api/todos/special').route, SPECIAL);
  });

  it('serves HEAD by the route of GET', () => {
    assert.equal(router.match('HEAD', '/api/todos').route, LIST);
  });

  for (const path of [
    '',
    '*',
    '/',
    '/api',
    '/api/todos/',
    '/api//todos',
    '/api/todos/1/',
    'api/todos',
  ]) {
    it(`knows no path ${JSON.stringify(path)}`, () => {
      assert.equal(refuses('GET', path).code, 'unknown-path');
    });
  }

  it('takes no dot segment for a parameter, be it encoded', () => {
    for (const segment of ['.', '..', '%2e', '%2E.', '.%2e']) {
      assert.equal(refuses('GET', `/api/todos/${segment}`).code, 'unknown-path');
    }
  });

  it('says which methods a path has, in the order of a list and not of the routes', () => {
    const problem = refuses('DELETE', '/api/todos');
    assert.equal(problem.code, 'method-not-allowed');
    assert.deepEqual(problem.headers, { Allow: 'GET, HEAD, POST, OPTIONS' });
    assert.equal(router.allow('/a/1/b/2'), 'PUT, OPTIONS');
  });

  it('says for * which methods there are at all', () => {
    assert.equal(router.allow('*'), 'GET, HEAD, POST, PUT, OPTIONS');
  });

  it('takes no two routes of one method and path', () => {
    assert.throws(() => new Router([LIST, LIST]), /two routes for GET/);
  });
});
