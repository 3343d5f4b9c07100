import { it } from 'node:test';
import { LONG, Random, SEED } from '../../../../support/random.ts';
import { describeEdges } from '../support/edge.ts';
import { sendMutated } from '../support/mutated-requests.ts';

const MUTATIONS = LONG ? 50_000 : 120;

/** With an upgrade, `node:http` may answer only after a timeout (`mutate.long.test.ts`). */
const isAnswered = (request: string) => !/upgrade/i.test(request);

describeEdges('requests with a few bytes changed', (edge) => {
  it(`${MUTATIONS} of them (seed ${SEED}): expected statuses and rows`, () =>
    sendMutated(edge, MUTATIONS, new Random(SEED), isAnswered));
});
