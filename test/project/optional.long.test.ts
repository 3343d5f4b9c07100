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
-import { STORE_SETTINGS } from '../replicas/settings.ts';
@@
-  ...STORE_SETTINGS,
--- a/src/main.ts
+++ b/src/main.ts
@@
-import type { ListIdentity } from './service/replicas/configured-store.ts';
-import { STORE_SETTINGS } from './service/replicas/settings.ts';
@@
-import type { OpenStore } from './service/store/store.ts';
@@
-  const { tz, seedFile, ...list } = config.of(ITEM_SETTINGS);
+  const { tz, seedFile } = config.of(ITEM_SETTINGS);
@@
-  const isInMemory = config.of(STORE_SETTINGS).store === 'memory';
-  if (isInMemory) checkSingleProcess();
+  checkSingleProcess();
@@
-  const openStore = isInMemory ? undefined : await openReplica(config, list);
-  const app = await configuredApp(config, { log, openStore });
+  const app = await configuredApp(config, { log });
@@
-/**
- * Loads the code of replicas, which only they need. The process ends if a replica later finds the
- * stored list incompatible. @throws ConfigError
- */
-async function openReplica(config: Config, list: ListIdentity): Promise<OpenStore> {
-  const { configuredStore } = await import('./service/replicas/configured-store.ts');
-  return configuredStore(config, list, log, (message) => {
-    fail(message, USAGE);
-    process.exit();
-  });
-}
-
@@
-    const { store } = config.of(STORE_SETTINGS);
@@
-    log('info', 'listening', { address, port, variant, version: VERSION, pid, store, settings });
+    log('info', 'listening', { address, port, variant, version: VERSION, pid, settings });
`,
};

for (const { name, paths, words, diff } of [REPLICAS]) {
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
