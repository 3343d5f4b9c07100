import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeFaults, notedDelays, startFaults as start } from '../support/fault-lists.ts';
import { LIST } from '../support/paths.ts';

describeFaults('a rehearsal', (situation) => {
  for (const member of ['delayMs', 'responseDelayMs'] as const) {
    const most = `${member.slice(0, -2)}MaxMs` as 'delayMaxMs' | 'responseDelayMaxMs';

    it(`each hit draws a delay evenly from ${member} to ${most}`, async (test) => {
      const { client, at, setFaults, hits } = await start(test, situation);
      const [min, max] = [3_000_000, 3_600_000];
      const delays = notedDelays(test);
      await setFaults({ [member]: min, [most]: max });
      for (let i = 0; i < 60; i++) assert.equal((await client.get(at(LIST))).status, 200);
      assert.deepEqual(await hits(), [60]);
      assert.equal(delays.length, 60);
      const quarters = delays.map((ms) => Math.floor((4 * (ms - min)) / (max - min)));
      // By chance, one of the four is missing in one of seven million runs.
      assert.deepEqual([...new Set(quarters)].sort(), [0, 1, 2, 3]);
    });

    it(`${most} needs ${member}, and is not less`, async (test) => {
      const { setFaults, violations } = await start(test, situation);
      for (const [fault, ...expected] of [
        [{ [most]: 5, abort: 'truncate' }, `${most} must come with ${member}`],
        [{ [member]: 6, [most]: 5 }, `${most} must be at least ${member}, 6`],
        [
          { [member]: 1, [most]: 3_600_001 },
          `${most} must be a number from 0 to 3600000, not 3600001`,
        ],
        [
          { [member]: [1, 5] },
          `${member} must be a number from 0 to 3600000, not an array; for a range, add ${most}`,
        ],
      ] as const) {
        assert.deepEqual(await violations(fault), expected);
      }
      await setFaults({ [member]: 5, [most]: 5 }, { [member]: 0, [most]: 3_600_000 });
    });
  }

  it('a fault matches requests with all parameters of its query, after decoding', async (test) => {
    const { client, at, setFaults, hits } = await start(test, situation);
    await setFaults({ query: { search: 'a é&+', offset: '2' }, status: 503 });
    const statusOf = async (query: string) => (await client.get(at(LIST + query))).status;
    for (const [query, status] of [
      ['?search=a+%C3%A9%26%2B&offset=2', 503],
      ['?offset=2&_=x&%73earch=a%20%c3%a9%26%2b', 503],
      // Also if the request would be refused, and if one of several values fits.
      ['?search=x&search=a+%C3%A9%26%2B&offset=1&offset=2', 503],
      ['?search=a+%C3%A9%26%2B', 200],
      ['?search=a+%C3%A9%26&offset=2', 200],
      ['?search=A+%C3%A9%26%2B&offset=2', 200],
      ['?Search=a+%C3%A9%26%2B&offset=2', 400],
      ['?search=a+%C3%A9%26%2B&offset=2&x=%', 400],
      ['', 200],
    ] as const) {
      assert.equal(await statusOf(query), status, query);
    }
    assert.deepEqual(await hits(), [3]);
    await setFaults({ query: {}, status: 503 });
    assert.equal(await statusOf(''), 503);
    await setFaults({ query: { search: '' }, status: 503 });
    assert.deepEqual([await statusOf('?search'), await statusOf('?search=+')], [503, 200]);
  });

  it('a query matches a request that was refused for its header section', async (test) => {
    const { client, at, setFaults } = await start(test, situation);
    await setFaults({ query: { page: '2' }, status: 503 });
    const headers = { 'if-match': 'x' };
    for (const [query, status] of [
      ['?page=2', 503],
      ['?page=1', 400],
      ['?page=2&x=%', 400],
    ] as const) {
      const answer = await client.get(at(LIST + query), headers);
      assert.equal(answer.status, status, query);
    }
  });

  it('a query is an object of strings', async (test) => {
    const { violations, list, setFaults } = await start(test, situation);
    for (const [query, ...expected] of [
      ['page=2', 'query must be an object of parameters, such as {"search": "milk"}, not "page=2"'],
      [
        { page: 2, 'a/b': null, ok: '' },
        'query/page must be a string of well-formed Unicode, not 2',
        'query/a~1b must be a string of well-formed Unicode, not null',
      ],
    ] as const) {
      assert.deepEqual(await violations({ status: 503, query }), expected);
    }
    const misnamed = await violations({ status: 503, params: { search: 'x' } });
    assert.deepEqual(misnamed, ['params is unknown; did you mean query?']);
    await setFaults({ status: 503, query: { 'priority.gte': '4' } });
    assert.deepEqual(await list.faults(), [
      { query: { 'priority.gte': '4' }, status: 503, hits: 0 },
    ]);
  });
});
