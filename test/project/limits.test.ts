import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PERMIT_BYTES, PLACE_BYTES } from '../../src/lib/http/admission/admission.ts';
import { MAX_TARGET_BYTES } from '../../src/lib/http/messages/target.ts';
import { MAX_CONTENT_BYTES, MAX_HEADER_FIELDS } from '../../src/lib/http/request/header-section.ts';
import { DEFAULT_SETTINGS } from '../../src/lib/http/server/http-settings.ts';
import { MAX_JSON_DEPTH } from '../../src/lib/json/json-object.ts';
import { MAX_LINE_BYTES } from '../../src/lib/printable.ts';
import { MAX_FAULTS } from '../../src/service/faults/fault-rules.ts';
import { MAX_ITEMS } from '../../src/service/items/routes/create-routes.ts';
import { memoryPlan } from '../../src/service/memory-plan.ts';
import { ROOT } from '../support/folder.ts';

const {
  headersTimeout,
  requestTimeout,
  connectionsCheckingInterval,
  maxHeaderBytes,
  keepAliveTimeout,
  stopArrivalTimeout,
  sendTimeout,
  lingerTimeout,
  lingerBytes,
  stopSilenceTimeout,
  maxConnections,
} = DEFAULT_SETTINGS;

const KIB = 1024;
const MIB = 1024 * KIB;
const thousands = (value: number) => value.toLocaleString('en');
const seconds = (ms: number) => ms / 1000;
const WORDS: Readonly<Record<number, string>> = { 250: 'a quarter of a second', 1000: 'a second' };
const inWords = (ms: number) => WORDS[ms] ?? `${ms} ms`;

/** Limits as the pages state them, with the numbers of the program in their place. */
const STATED: Readonly<Record<string, readonly string[]>> = {
  'docs/api.md': [
    `1 to ${MAX_ITEMS} create requests`,
    `at most ${MAX_CONTENT_BYTES / KIB} KiB long and nested at most ${MAX_JSON_DEPTH} deep`,
    `the header section took over ${seconds(headersTimeout)} s, or the request ${seconds(requestTimeout)} s`,
    `the content exceeds ${MAX_CONTENT_BYTES / KIB} KiB`,
    `the request target exceeds ${MAX_TARGET_BYTES / KIB} KiB`,
    `over ${MAX_HEADER_FIELDS} header fields`,
    `A client that reads nothing of a response longer than its socket's buffers is disconnected after ${seconds(sendTimeout)} s,`,
  ],
  'docs/testing.md': [`replaces the faults, at most ${MAX_FAULTS}.`],
  'docs/operations.md': [
    `JSON lines of at most ${thousands(MAX_LINE_BYTES)} bytes`,
    `| \`MAX_HEADER_BYTES\` | \`${maxHeaderBytes}\` |`,
    `| \`KEEP_ALIVE_TIMEOUT_MS\` | \`${keepAliveTimeout}\` |`,
    `(${seconds(keepAliveTimeout)} s; 2 s to an hour)`,
    `up to ${thousands(maxConnections)} connections`,
    `a *permit* of ${PERMIT_BYTES / KIB} KiB each`,
    `a *place* of ${PLACE_BYTES / KIB} KiB`,
    `${inWords(stopArrivalTimeout)} later the service stops listening`,
    `If that pauses for ${inWords(stopSilenceTimeout)}, it gets 408`,
  ],
  'src/lib/http/README.md': [`for at most ${inWords(lingerTimeout)} and ${lingerBytes / MIB} MiB`],
};

for (const [name, statements] of Object.entries(STATED)) {
  it(`${name} states the limits that the program has`, () => {
    const page = readFileSync(join(ROOT, name), 'utf8').replaceAll(/\s+/g, ' ');
    for (const statement of statements) assert(page.includes(statement), statement);
  });
}

it('the times of requests are checked every second', () => {
  assert.equal(connectionsCheckingInterval, 1_000);
});

describe('the data heap is divided as docs/operations.md says', () => {
  for (const [title, heap, data] of [
    ['less 16 MiB for the program', 80 * MIB, 64 * MIB],
    ['at least a quarter of the limit', 16 * MIB, 4 * MIB],
    ['in a large heap, less 16 MiB as well', 8_208 * MIB, 8_192 * MIB],
  ] as const) {
    it(title, () => {
      const share = (part: number, most = Number.POSITIVE_INFINITY) => Math.min(most, data / part);
      const { maxConnections: connectionsFor, ...plan } = memoryPlan(heap);
      const connections = Math.floor(data / 3 / (32 * KIB));
      const expected = Math.min(10_000, Math.max(256, connections));
      assert.equal(connectionsFor(16 * KIB), expected);
      assert.deepEqual(plan, {
        maxBytes: Math.floor((2 * data) / 5),
        permits: Math.max(1, Math.floor(data / 5 / (MIB / 2))),
        places: data / 8 / (4 * KIB),
        maxFaultBytes: share(16),
        cacheBytes: share(32, 64 * MIB),
        historyBytes: share(32, 16 * MIB),
        maxSeedBytes: share(32, MIB),
      });
    });
  }
});
