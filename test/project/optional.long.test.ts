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
  /** Matches what the tests of it mention, apart from the tests in its folders. */
  readonly words: RegExp;
  /** The lines of other files that add it to the service, and to its build. */
  readonly diff: string;
}

const REPLICAS: Part = {
  name: 'replicas',
  paths: [
    ...['src/lib/replica', 'src/service/replicas'],
    ...['test/unit/lib/replica', 'test/unit/service/replicas'],
    ...['test/system/replicas', 'test/system/simulation'],
    ...['test/support/groups/unit-replica.ts', 'test/support/groups/system-simulation.ts'],
    'bench/replicas.ts',
  ],
  words: /\/replicas\/|ETCD_|--etcd|STORE\b/,
  diff: `
--- a/test/support/groups/groups.json
+++ b/test/support/groups/groups.json
@@
-  "unit-replica": ["unit/lib/replica"],
@@
-  "system-simulation": ["system/simulation"],
--- a/bench/main.ts
+++ b/bench/main.ts
@@
-import { replicas } from './replicas.ts';
@@
-    replicas: ['Replicas', () => replicas(fewRounds, 2, builds())],
--- a/scripts/build.js
+++ b/scripts/build.js
@@
-  await buildFile('replicas', entry('src/service/replicas/configured-store.ts'), [sharedFiles]);
--- a/src/service/settings/service-settings.ts
+++ b/src/service/settings/service-settings.ts
@@
-import { STORE_SETTINGS } from '../replicas/store-settings.ts';
@@
-  ...STORE_SETTINGS,
--- a/src/main.ts
+++ b/src/main.ts
@@
-import { openReplica } from './service/replicas/open-replica.ts';
@@
-  const openStore = await openReplica(config, list, log, (message) => fail(message, USAGE));
-  if (openStore === undefined) checkSingleProcess();
-  const app = await configuredApp(config, { log, openStore });
+  checkSingleProcess();
+  const app = await configuredApp(config, { log });
`,
};

const PAGE: Part = {
  name: 'the page',
  paths: ['src/web-page', 'src/service/page', 'test/unit/web-page', 'test/system/browser'],
  words: /web-page|getPage|'\/',.*'\/openapi/,
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
-    const index = page(info, variant, events?.path);
@@
-    const parts = [todos, events, index, document];
+    const parts = [todos, events, document];
@@
-      index,
`,
};

const CORS: Part = {
  name: 'CORS',
  paths: ['src/service/cors.ts', 'test/api/cors.test.ts'],
  words: /CORS_ORIGINS|Access-Control-Request|access-control-request/,
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
-import { CORS_SETTINGS, cors } from './cors.ts';
@@
-    // Pages of other origins may call the service.
-    const crossOrigin = cors(config.of(CORS_SETTINGS), collection, log);
-
@@
-      vary: crossOrigin?.vary,
@@
-      crossOrigin?.headers,
@@
-      crossOrigin?.preflights,
`,
};

for (const { name, paths, words, diff } of [REPLICAS, PAGE, CORS]) {
  it(`the service builds and passes its tests without ${name}`, async () => {
    const copy = new ProjectCopy();
    for (const path of paths) rmSync(join(copy.folder, path), { recursive: true });
    const tests = filesBelow(join(copy.folder, 'test')).filter((file) => file.endsWith('.ts'));
    const mentioning = tests.filter((file) =>
      words.test(readFileSync(join(copy.folder, 'test', file), 'utf8')),
    );
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
