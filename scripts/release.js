// `node scripts/release.js` makes a release of the current commit: it checks everything that can be
// checked here, and sets the tag. The tag, once pushed, is published by
// `.github/workflows/release.yml`.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { sectionOf } from './changelog.js';

const BAKE = 'scripts/docker-bake.hcl';

const { values: options } = parseArgs({
  options: {
    /** Only checks. */
    'dry-run': { type: 'boolean', default: false },
    /** Skips the tests, for a commit that CI has tested. */
    'skip-tests': { type: 'boolean', default: false },
  },
});

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const tag = `v${version}`;

/** The preconditions, and for each the advice if it does not hold. */
const checks = [
  [git('status', '--porcelain') === '', 'the tree has changes: commit or stash them'],
  [
    lock.version === version && lock.packages[''].version === version,
    `package-lock.json is not of version ${version}: run npm install`,
  ],
  [
    readFileSync('Dockerfile', 'utf8').includes(`ARG VERSION=${version}\n`) &&
      readFileSync(BAKE, 'utf8').includes(`"VERSION" { default = "${version}" }`),
    `Dockerfile or ${BAKE} is not of version ${version}: run npm run version`,
  ],
  [
    /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    `the version ${version} is not a semantic version: correct package.json`,
  ],
  [
    isReady(sectionOf(version)),
    `CHANGELOG.md has no dated section for ${version} with a change in it: write one`,
  ],
  [
    git('tag', '--list', tag) === '',
    `the tag ${tag} exists: give package.json a new version with npm version --no-git-tag-version`,
  ],
];
const failures = checks.filter(([holds]) => !holds).map(([, advice]) => advice);
if (failures.length > 0) {
  for (const advice of failures) process.stderr.write(`release: ${advice}\n`);
  process.exit(1);
}

if (!options['skip-tests']) execFileSync('npm', ['test'], { stdio: 'inherit' });
for (const step of ['images', 'npm', 'release']) {
  const { status } = spawnSync('node', ['scripts/publish.js', step, '--dry-run'], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}
if (options['dry-run']) {
  process.stdout.write(`${name} ${version} can be released\n`);
} else {
  git('tag', '--annotate', tag, '--message', `${name} ${version}`);
  process.stdout.write(`${name} ${version} is tagged ${tag}. To publish it:

  git push origin HEAD ${tag}
`);
}

/** Whether a section of the changelog has a date and at least one entry. */
function isReady(section) {
  return /^\d{4}-\d{2}-\d{2}$/.test(section?.date ?? '') && /^- /m.test(section.entries);
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
