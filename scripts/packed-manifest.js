// Run by npm around `npm pack`: leaves the script `prepare` out of the package's package.json,
// because npm 12 would warn of it at each installation. `prepare` builds a package from git.
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const MANIFEST = 'package.json';
/** The complete manifest, while npm packs the other one. */
const COMPLETE = 'package.json.complete';

// It is still there if the last packing was interrupted.
if (existsSync(COMPLETE)) renameSync(COMPLETE, MANIFEST);

if (process.env.npm_lifecycle_event === 'prepack') {
  copyFileSync(MANIFEST, COMPLETE);
  const { scripts, ...manifest } = JSON.parse(readFileSync(MANIFEST, 'utf8'));
  const { prepare: _, ...others } = scripts;
  writeFileSync(MANIFEST, `${JSON.stringify({ ...manifest, scripts: others }, null, 2)}\n`);
}
