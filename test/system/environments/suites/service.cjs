const { startTodoService } = require('../../../../dist/index.js');
const { send } = require('./client.cjs');

/**
 * Defines what holds in every test runner and environment.
 * @param runner its functions, and `timers`, which replaces Node's by fake ones and puts them back
 */
exports.define = ({ test, expect, timers }) => {
  test('the service works, and stops', async () => {
    const service = await startTodoService({ seed: [{ title: 'seeded' }] });
    const created = await send('POST', `${service.url}/api/todos`, { title: 'new' });
    expect(created.status).toBe(201);
    await service.faults([{ status: 503, times: 1 }]);
    expect((await send('GET', `${service.url}/api/todos`)).status).toBe(503);
    expect((await service.requests()).map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect((await service.waitForRequests({ status: 503 })).length).toBe(1);
    await service.reset([{ title: 'other' }]);
    expect(JSON.parse((await send('GET', `${service.url}/api/todos`)).text)).toMatchObject([
      { id: 1, title: 'other' },
    ]);
    await service.stop();
  });

  test('the service works with fake timers, and stops', async () => {
    timers.useFakeTimers();
    const service = await startTodoService();
    expect((await send('POST', `${service.url}/api/todos`, { title: 'x' })).status).toBe(201);
    service.cutStreams();
    await expect(service.waitForRequests({ method: 'PUT' }, { timeoutMs: 20 })).rejects.toThrow(
      'the filter is {"method":"PUT"}',
    );
    await service.stop();
    timers.useRealTimers();
  });
};
