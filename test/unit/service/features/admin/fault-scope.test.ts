import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListedFault } from '../../../../../src/service/features/control/fault.ts';
import { variantB as variant } from '../../../../../src/service/todo/variant-b.ts';
import { assertProblem } from '../../../../api/suite.ts';
import { startAdmin } from '../../../../support/admin.ts';
import { itemPath, LIST } from '../../../../support/paths.ts';

describe('faults fit', () => {
  it('paths by whole segments, and templates exactly', async (test) => {
    const { client, setFaults } = await startAdmin(test, variant);
    const statusOf = async (path: string) => (await client.get(path)).status;
    await setFaults({ path: itemPath(1), status: 503 });
    assert.equal(await statusOf(itemPath(1)), 503);
    assert.equal(await statusOf(`${itemPath(1)}/below`), 503);
    assert.equal(await statusOf(`${itemPath(1)}?x=1`), 503);
    assert.equal(await statusOf(itemPath(10)), 404);
    await setFaults({ route: LIST, status: 503 });
    assert.equal(await statusOf(`${LIST}?x=1`), 503);
    assert.equal(await statusOf(itemPath(1)), 200);
    await setFaults({ route: `${LIST}/{id}`, status: 503 });
    assert.equal(await statusOf(LIST), 200);
    assert.equal(await statusOf(itemPath(7)), 503);
    await setFaults({ path: '/', status: 503 });
    for (const path of [LIST, '/', '/none', '/openapi.json']) {
      assert.equal(await statusOf(path), 503, path);
    }
    await setFaults({ route: '/', status: 503 });
    assert.deepEqual([await statusOf('/'), await statusOf(LIST)], [503, 200]);
  });

  it('only templates of routes that they can hit, which the error lists', async (test) => {
    const { admin } = await startAdmin(test, variant, { env: { BASE_PATH: '/base' } });
    const hint = `use ${LIST}, ${LIST}/events, ${LIST}/batch, ${LIST}/{id}, /, /openapi.json`;
    for (const route of [`${LIST}/1`, `/base${LIST}`, `${LIST}/`, '/livez', '/metrics', 7]) {
      const answer = await admin('PUT', '/base/admin/faults', { faults: [{ route, status: 503 }] });
      const { errors = [] } = assertProblem(answer, 400, 'validation-failed');
      const allowed = 'must be a template as the journal has it, such as /api/todos/{id}, ';
      const given = JSON.stringify(route);
      const detail = `${allowed}that faults can hit, not ${given}; ${hint}`;
      assert.deepEqual(errors, [{ pointer: '#/faults/0/route', code: 'value', detail }]);
      const query = `route=${encodeURIComponent(route)}&waitMs=60000`;
      const waiting = await admin('GET', `/base/admin/requests?${query}`);
      const problem = assertProblem(waiting, 400, 'invalid-parameter');
      assert(problem.detail?.endsWith(hint), problem.detail);
    }
  });

  it('header fields that have the value, one of several', async (test) => {
    const { client, setFaults } = await startAdmin(test, variant);
    await setFaults({ requestHeaders: { 'X-Test': 'two' }, status: 503 });
    assert.equal((await client.get(LIST, { 'x-test': 'two' })).status, 503);
    assert.equal((await client.get(LIST, { 'x-test': 'three' })).status, 200);
    assert.equal((await client.get(LIST)).status, 200);
  });
});

describe('of several faults', () => {
  const start = async (...args: Parameters<typeof startAdmin>) => {
    const service = await startAdmin(...args);
    const hits = async () => {
      const { faults } = (await service.admin('GET', '/admin/faults')).json<{
        faults: ListedFault[];
      }>();
      return faults.map((fault) => fault.hits);
    };
    return { ...service, hits };
  };

  it('only the first one that matches and hits is applied', async (test) => {
    const { client, setFaults, hits } = await start(test, variant);
    await setFaults(
      { status: 501, rate: 0 },
      { delayMs: 1, times: 2 },
      { method: 'POST', status: 502 },
      { path: LIST, status: 503 },
      { status: 504 },
    );
    const answers: number[] = [];
    for (let i = 0; i < 4; i++) answers.push((await client.get(LIST)).status);
    assert.deepEqual(answers, [200, 200, 503, 503]);
    assert.deepEqual(await hits(), [0, 2, 0, 2, 0]);
  });

  it('one that is not reached keeps its skips and times', async (test) => {
    const { client, setFaults, hits } = await start(test, variant);
    await setFaults(
      { delayMs: 1, times: 2 },
      { method: 'GET', status: 502, skip: 1, times: 1 },
      { method: 'GET', status: 503 },
    );
    const answers: number[] = [];
    for (let i = 0; i < 5; i++) answers.push((await client.get(LIST)).status);
    assert.deepEqual(answers, [200, 200, 503, 502, 503]);
    assert.deepEqual(await hits(), [2, 1, 2]);
  });

  it('the rarer one comes first: a slow service of which a third fails', async (test) => {
    const { client, setFaults, hits } = await start(test, variant);
    await setFaults({ rate: 0.3, status: 503, delayMs: 1 }, { delayMs: 1 });
    for (let i = 0; i < 60; i++) await client.get(itemPath(1));
    const [failed = 0, slow = 0] = await hits();
    assert.equal(failed + slow, 60);
    assert(failed > 2 && failed < 45, `${failed} of 60`);
  });

  it('one that can never be reached is a violation', async (test) => {
    const { admin } = await start(test, variant);
    for (const [faults, pointers] of [
      [[{ delayMs: 300 }, { rate: 0.3, status: 503 }], ['#/faults/1']],
      [[{ status: 500, requestHeaders: {} }, { abort: 'reset' }], ['#/faults/1']],
      [
        [{ path: LIST, status: 503 }, { status: 503 }, { delayMs: 1 }, { delayMs: 2, times: 1 }],
        ['#/faults/2', '#/faults/3'],
      ],
    ] as const) {
      const answer = await admin('PUT', '/admin/faults', { faults });
      const { errors = [] } = assertProblem(answer, 400, 'validation-failed');
      assert.deepEqual(
        errors.map(({ pointer }) => pointer),
        pointers,
      );
      assert.match(errors[0]?.detail ?? '', /can never hit, because the fault at index [01] /);
    }
    for (const limit of [{ rate: 1 }, { skip: 0 }, { times: 9 }, { path: '/' }]) {
      const faults = [{ status: 503, ...limit }, { delayMs: 1 }];
      assert.equal((await admin('PUT', '/admin/faults', { faults })).status, 200);
    }
  });
});
