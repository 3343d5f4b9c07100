import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { filesBelow } from '../support/folder.ts';
import { ProjectCopy } from '../support/project-copy.ts';

/** An optional part of the service. */
interface Part {
  readonly name: string;
  /** Its folders and files. */
  readonly paths: readonly string[];
  /** Matches what tests of the API and of units mention, if they need it. */
  readonly words: RegExp;
  /** The lines of other files that add it to the service, and to its build. */
  readonly diff: string;
}

const REPLICAS: Part = {
  name: 'replicas',
  paths: [
    ...['src/replicas', 'test/replicas', 'bench/replicas.ts'],
    ...['test/support/groups/replicas-unit.ts', 'test/support/groups/replicas-simulation.ts'],
  ],
  words: /\/replicas\/|ETCD_|--etcd|STORE\b/,
  diff: `
--- a/test/support/groups/groups.json
+++ b/test/support/groups/groups.json
@@
-  "replicas-unit": ["replicas/unit"],
@@
-  "replicas-simulation": ["replicas/simulation"],
--- a/bench/main.ts
+++ b/bench/main.ts
@@
-import { replicas } from './replicas.ts';
@@
-    replicas: ['Replicas', () => replicas(fewRounds, 2, builds())],
--- a/scripts/build.js
+++ b/scripts/build.js
@@
-  await buildFile('replicas', entry('src/replicas/configured-store.ts'), [sharedFiles]);
--- a/src/service/settings/service-settings.ts
+++ b/src/service/settings/service-settings.ts
@@
-import { STORE_SETTINGS } from '../../replicas/store-settings.ts';
@@
-  ...STORE_SETTINGS,
--- a/src/main.ts
+++ b/src/main.ts
@@
-import { openReplica } from './replicas/open-replica.ts';
@@
-  const identity = { variant: definition, maxRows: list.maxRows };
-  const share = await openReplica(config, identity, log, (message) => fail(message, USAGE));
-  if (share === undefined) checkSingleProcess();
-  // The items are also those of other processes.
-  const isByHand = share === undefined && isRunByHand(process.stdout, process.env);
+  checkSingleProcess();
+  const isByHand = isRunByHand(process.stdout, process.env);
@@
-  const options = { definition, log, share, tokenOfRun: token, ownsHeap: true };
+  const options = { definition, log, tokenOfRun: token, ownsHeap: true };
--- a/src/service/app.ts
+++ b/src/service/app.ts
@@
-  /** Shares the list at the base path with other processes. Returns a function that adapts routes. */
-  readonly share?:
-    | ((lists: Lists, server: HttpServer) => (route: DescribedRoute) => DescribedRoute)
-    | undefined;
@@
-    const adaptRoute = options.share?.(lists, server) ?? ((route: DescribedRoute) => route);
@@
-        .filter((route) => hasToken || isPublic(route))
-        .map(adaptRoute),
+        .filter((route) => hasToken || isPublic(route)),
`,
};

const PAGE: Part = {
  name: 'the page',
  paths: ['src/web-page', 'src/service/page', 'test/unit/web-page', 'test/system/browser'],
  words: /web-page|TAKEN_NAMES|getPage|get\('\/'|'\/',.*'\/openapi/,
  diff: `
--- a/test/support/groups/groups.json
+++ b/test/support/groups/groups.json
@@
-  "unit-service": ["unit/service", "unit/package", "unit/web-page"],
+  "unit-service": ["unit/service", "unit/package"],
--- a/package.json
+++ b/package.json
@@
-    "types": "tsc && tsc -p src/web-page/client",
+    "types": "tsc",
--- a/src/service/app.ts
+++ b/src/service/app.ts
@@
-import { page } from './page/page-route.ts';
@@
-    const pageOptions = { basePath, maxSeedBytes: HEAP_BUDGET.maxSeedBytes, needsList };
-    const pageFeature = page(info, definition, pageOptions, events?.path, () => lists.publicNames);
@@
-    const matchable = [itemFeature, events, pageFeature, document];
+    const matchable = [itemFeature, events, document];
@@
-      pageFeature,
`,
};

const CORS: Part = {
  name: 'CORS',
  paths: ['src/service/cors.ts', 'test/api/cors.test.ts'],
  words: /CORS_ORIGINS|Access-Control-Request|access-control-request|added to Vary/,
  diff: `
--- a/src/service/settings/service-settings.ts
+++ b/src/service/settings/service-settings.ts
@@
-import { CORS_SETTINGS } from '../cors.ts';
@@
-  ...CORS_SETTINGS,
--- a/src/service/app.ts
+++ b/src/service/app.ts
@@
-import {
-  HttpServer,
-  type HttpSettings,
-  type Request,
-  type RequestHooks,
-} from '../lib/http/index.ts';
+import { HttpServer, type HttpSettings, type Request } from '../lib/http/index.ts';
@@
-import { CORS_SETTINGS, cors } from './cors.ts';
@@
-    // Pages of other origins may call the service.
-    const crossOrigin = cors(config.of(CORS_SETTINGS), log);
     /** The request fields on which any response may depend. */
-    const vary = [crossOrigin?.vary ?? [], settings.listsByHeader ? 'Baggage' : []].flat();
+    const vary = settings.listsByHeader ? ['Baggage'] : [];
@@
-      crossOrigin,
@@
-    const preflights: RequestHooks = {
-      // A page has to get past a preflight to read its 404.
-      grantPreflight: (request) =>
-        crossOrigin?.grants(request) ? sites.optionsOf(request) : undefined,
-    };
@@
-      hooks: [...features, preflights],
+      hooks: features,
`,
};

const EVENTS: Part = {
  name: 'events',
  paths: ['src/service/events', 'test/unit/service/events'],
  words:
    /support\/events\.ts|\/todos\/events|\bEVENTS\b|api\.eventsPath|watchTodos|cutStreams|event_streams/,
  diff: `
--- a/src/service/app.ts
+++ b/src/service/app.ts
@@
-import { ItemEvents } from './events/item-events.ts';
@@
-  maxStreamsOf,
@@
-    // Event streams, the page with the index at \`/\`, and the API document, which has all routes.
-    const maxStreams = Math.min(maxEventStreams, maxStreamsOf(maxConnections));
-    const events = maxStreams > 0 ? new ItemEvents(resource, maxStreams) : undefined;
+    // The page with the index at \`/\`, and the API document, which has all routes.
@@
-    const pageFeature = page(info, definition, pageOptions, events?.path, () => lists.publicNames);
+    const pageFeature = page(info, definition, pageOptions, undefined, () => lists.publicNames);
@@
-    const matchable = [itemFeature, events, pageFeature, document];
+    const matchable = [itemFeature, pageFeature, document];
@@
-        streams: events,
+        streams: undefined,
@@
-    const measured = { variant: definition.name, server, events, lists };
+    const measured = { variant: definition.name, server, events: undefined, lists };
@@
       itemFeature,
-      events,
       health,
@@
-      events: events?.path,
+      events: undefined,
@@
-    const { basePath, maxEventStreams } = settings;
+    const { basePath } = settings;
`,
};

const CONTROL: Part = {
  name: 'faults and the journal',
  paths: [
    ...['src/service/faults', 'src/service/journal', 'src/package/test-control.ts'],
    'test/support/fault-lists.ts',
  ],
  words:
    /service\/(?:faults|journal)\/|TAKEN_NAMES|[sS]etFaults|\/admin\/(?:faults|requests)|FAULTS|(?:service|list)\.(?:faults|requests)\(|waitForRequests/,
  diff: `
--- a/test/replicas/simulation/service/respond.ts
+++ b/test/replicas/simulation/service/respond.ts
@@
-import { Faults } from '../../../../src/service/faults/faults.ts';
@@
-    const faults = site.list.feature(Faults);
-    const handle = async () => route.handle(request);
-    return await (faults.interceptorFor(request, path)?.(handle) ?? handle());
+    return await route.handle(request);
--- a/scripts/build.js
+++ b/scripts/build.js
@@
-    'service/faults/fault.ts',
-    'service/journal/journal-entry.ts',
--- a/src/service/app.ts
+++ b/src/service/app.ts
@@
-import type { KnownPaths } from './admin/request-matching.ts';
@@
-  /** For the shapes of faults and filters. */
-  readonly paths: KnownPaths;
@@
-    const matchable = [itemFeature, events, pageFeature, document];
@@
-    const routes = matchable.flatMap((part) => part?.routes ?? []).filter(isPublic);
-    const paths = { basePath, collection, routes };
@@
-    const forTests = testFeatures(config, paths, masks, options);
+    const forTests = testFeatures(config, options);
@@
-    this.control = { lists, server, paths };
+    this.control = { lists, server };
@@
-        features: [forTests.journal, forTests.faults].flatMap((feature) => feature ?? []),
+        features: [],
@@
-      forTests.journal,
-      forTests.faults,
--- a/src/service/test-features.ts
+++ b/src/service/test-features.ts
@@
-import type { Masks } from '../lib/masks.ts';
-import type { KnownPaths } from './admin/request-matching.ts';
@@
-import { faultInjection } from './faults/fault-routes.ts';
-import { faultList } from './faults/fault-rules.ts';
@@
-import { journal } from './journal/journal-routes.ts';
-import { HEAP_BUDGET } from './memory-plan.ts';
-import { readInput } from './resource/request-content.ts';
-import { ITEM_SETTINGS } from './settings/service-settings.ts';
@@
-  readonly journal: Feature | undefined;
-  readonly faults: Feature | undefined;
@@
-  paths: KnownPaths,
-  masks: Masks,
-  { isInProcess = false, tokenOfRun, faultBytes = HEAP_BUDGET.maxFaultBytes }: TestFeatureOptions,
-): TestFeatures {
-  const given = config.of(ITEM_SETTINGS).faults;
-  const initial = readInput(faultList(paths), given, \`\${config.nameOf('faults')} is invalid\`);
-  const access = adminAccess(config, tokenOfRun);
-  const isControlled = isInProcess || access !== undefined;
-  const hasFaults = isControlled || initial.length > 0;
-  return {
-    access,
-    journal: isControlled ? journal(paths, masks) : undefined,
-    faults: hasFaults ? faultInjection(paths, initial, faultBytes) : undefined,
-  };
+  { tokenOfRun }: TestFeatureOptions,
+): TestFeatures {
+  return { access: adminAccess(config, tokenOfRun) };
--- a/src/package/index.ts
+++ b/src/package/index.ts
@@
-import { testControl } from './test-control.ts';
@@
-  { control: { lists, paths } }: App,
+  { control: { lists } }: App,
@@
-  { url, checkedSeed, endReason, checkRunning, stop }: ControlledList,
+  { url, checkedSeed, checkRunning, stop }: ControlledList,
@@
-    ...testControl(paths, mount, { checkRunning, endReason }),
--- a/src/package/types.ts
+++ b/src/package/types.ts
@@
-import type { Fault, ListedFault } from '../service/faults/fault.ts';
-import type { JournalEntry, JournalFilter } from '../service/journal/journal-entry.ts';
@@
-export type { Fault, JournalEntry, JournalFilter, ListedFault, SeedItem, VariantName };
+export type { SeedItem, VariantName };
@@
-  /**
-   * Replaces the faults, and ends the delays of the previous ones. Without a list, it changes
-   * nothing.
-   * @returns the current faults, with their hits
-   */
-  faults(faults?: readonly Fault[]): Promise<readonly ListedFault[]>;
-  /** The last requests, oldest first: up to 1,000 or 1 MiB of them. */
-  requests(filter?: JournalFilter): Promise<readonly JournalEntry[]>;
-  /**
-   * Waits until \`count\` requests match.
-   * @returns the requests that match; rejected when the time is up, at a reset and at a stop
-   */
-  waitForRequests(filter?: JournalFilter, options?: WaitOptions): Promise<readonly JournalEntry[]>;
--- a/test/support/admin.ts
+++ b/test/support/admin.ts
@@
-import assert from 'node:assert/strict';
@@
-import type { Fault, ListedFault } from '../../src/service/faults/fault.ts';
@@
-import type { JournalEntry } from '../../src/service/journal/journal-entry.ts';
@@
-  const setFaults = async (...faults: Fault[]) => {
-    const answer = await admin('PUT', '/admin/faults', { faults });
-    assert.equal(answer.status, 200, answer.text);
-  };
-  const faults = async () =>
-    (await admin('GET', '/admin/faults')).json<{ faults: ListedFault[] }>().faults;
-  /** The requests in the journal, or those that a query string finds. */
-  const requests = async (query = '') => {
-    const answer = await admin('GET', \`/admin/requests\${query}\`);
-    assert.equal(answer.status, 200, answer.text);
-    return answer.json<{ requests: JournalEntry[] }>().requests;
-  };
@@
-  return { ...service, admin, adminText, setFaults, faults, requests, connect };
+  return { ...service, admin, adminText, connect };
`,
};

for (const { name, paths, words, diff } of [REPLICAS, PAGE, CORS, EVENTS, CONTROL]) {
  it(`the service builds and passes its tests without ${name}`, async () => {
    const copy = new ProjectCopy();
    for (const path of paths) rmSync(join(copy.folder, path), { recursive: true });
    const tests = filesBelow(join(copy.folder, 'test')).filter((file) => file.endsWith('.ts'));
    const mentioning = tests.filter((file) => {
      if (diff.includes(`b/test/${file}\n`)) return false;
      const text = readFileSync(join(copy.folder, 'test', file), 'utf8');
      const isRun = file.startsWith('api/') || file.startsWith('unit/');
      return paths.some((path) => text.includes(`/${path}`)) || (isRun && words.test(text));
    });
    assert(mentioning.length < tests.length / 10, mentioning.join());
    for (const file of mentioning) rmSync(join(copy.folder, 'test', file));
    copy.apply(diff);
    await copy.runAll([
      'npm run --silent build',
      'npm run --silent types',
      'node scripts/test.js api',
      'node scripts/test.js unit',
    ]);
  });
}
