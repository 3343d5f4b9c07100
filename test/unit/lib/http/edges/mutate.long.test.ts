import { it } from 'node:test';
import { Random, SEED } from '../../../../support/random.ts';
import { describeEdges } from '../support/edge.ts';
import { sendMutated } from '../support/mutated-requests.ts';

const MUTATIONS = 2_000;

/**
 * `node:http` does not report malformed content of a request with an Upgrade field: it takes until
 * the 408. All others are answered at once.
 */
const SETTINGS = { headersTimeout: 3_000, requestTimeout: 3_000, connectionsCheckingInterval: 50 };

describeEdges(
  'requests with a few bytes changed',
  (edge) => {
    it(`${MUTATIONS} of them, also to upgrade (seed ${SEED}): expected statuses and rows`, () =>
      sendMutated(edge, MUTATIONS, new Random(SEED), () => true));
  },
  SETTINGS,
);
