// Publishes a release. `.github/workflows/release.yml` runs it on a tag, a step at a time:
//
//   images    builds both images for the platform of this machine, and pushes them
//   npm       publishes the package
//   release   gives the images of both platforms one tag, and makes a release of GitHub with the
//             package and the program as a single file
//
// All names come from variables, so that a fork publishes under its own: GITHUB_REPOSITORY and other
// variables that GitHub sets, and PACKAGE_NAME. With `--dry-run`, a step prints the commands that
// would publish, and lets npm and buildx check theirs.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sectionOf } from './changelog.js';

/** The names of the platforms of images, by Node's names. */
const PLATFORMS = { x64: 'amd64', arm64: 'arm64' };

const STEPS = { images: pushImages, npm: publishPackage, release: makeRelease };

const {
  positionals: [step = ''],
  values: { 'dry-run': isDryRun },
} = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
});
if (!Object.hasOwn(STEPS, step)) exit('usage: node scripts/publish.js images | npm | release');

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { version } = manifest;
const isPrerelease = version.includes('-');
const tag = `v${version}`;
const {
  GITHUB_SERVER_URL: server = 'https://github.com',
  GITHUB_REPOSITORY: repository = isDryRun ? 'owner/repository' : exit('set GITHUB_REPOSITORY'),
  GITHUB_REF_NAME: ref = tag,
  GITHUB_SHA: revision = '',
  PACKAGE_NAME,
} = process.env;
if (ref !== tag) exit(`the tag is ${ref}, but the version in package.json is ${version}`);
const { entries } = sectionOf(version) ?? exit(`CHANGELOG.md has no section for ${version}`);

const source = `${server}/${repository}`;
const [owner = ''] = repository.toLowerCase().split('/');
/** The container registry that takes the token of a workflow, and there the account of the owner. */
const namespace = `ghcr.io/${owner}/`;

const folder = mkdtempSync(join(tmpdir(), 'publish-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
STEPS[step]();

function pushImages() {
  const platform = PLATFORMS[process.arch];
  const args = ['buildx', 'bake', '--file', 'scripts/docker-bake.hcl'];
  args.push('--set', `*.platform=linux/${platform}`);
  const env = { NAMESPACE: namespace, TAG: `${version}-${platform}`, VERSION: version };
  const labels = { REVISION: revision, SOURCE: source };
  publish('docker', [...args, '--push'], [...args, '--print'], { ...env, ...labels });
}

function publishPackage() {
  const args = ['publish', packedPackage(), '--tag', isPrerelease ? 'next' : 'latest'];
  publish('npm', args, [...args, '--dry-run']);
}

function makeRelease() {
  for (const variant of ['a', 'b']) {
    const image = `${namespace}todo-service-${variant}:`;
    const names = [version, ...(isPrerelease ? [] : ['latest'])];
    const tags = names.flatMap((name) => ['--tag', image + name]);
    const parts = Object.values(PLATFORMS).map((platform) => `${image}${version}-${platform}`);
    publish('docker', ['buildx', 'imagetools', 'create', ...tags, ...parts]);
  }
  const notes = join(folder, 'notes.md');
  writeFileSync(notes, `${entries}\n`);
  const kind = isPrerelease ? ['--prerelease'] : [];
  const texts = ['--title', `todo-service ${version}`, '--notes-file', notes];
  // To pack the package builds dist/, too. Until 5.0, the program also has its previous name.
  const files = [packedPackage(), 'dist/todo-service.cjs'];
  publish('gh', ['release', 'create', tag, ...files, '--verify-tag', ...texts, ...kind]);
}

/** Packs the package with the names and links of this repository. @returns its path */
function packedPackage() {
  const packed = pack('.', folder);
  execFileSync('tar', ['-xzf', packed, '-C', folder]);
  const content = join(folder, 'package');
  const named = {
    ...JSON.parse(readFileSync(join(content, 'package.json'), 'utf8')),
    // A variable that is not set in the repository is empty.
    name: PACKAGE_NAME || manifest.name,
    homepage: `${source}#readme`,
    bugs: `${source}/issues`,
    repository: { type: 'git', url: `git+${source}.git` },
  };
  writeFileSync(join(content, 'package.json'), `${JSON.stringify(named, null, 2)}\n`);
  const result = join(folder, 'named');
  mkdirSync(result);
  return pack(content, result, '--ignore-scripts');
}

/** Packs a folder into another one. @returns the path of the tarball */
function pack(from, to, ...options) {
  const args = ['pack', '--silent', '--pack-destination', to, ...options];
  const printed = execFileSync('npm', args, { cwd: from, encoding: 'utf8' });
  return join(to, printed.trim().split('\n').at(-1) ?? '');
}

/**
 * Runs a command that publishes. A dry run prints it instead.
 * @param check the arguments with which the command checks the same without publishing
 */
function publish(command, args, check, env = {}) {
  if (!isDryRun) return run(command, args, env);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const line = [...variables, command, ...args].join(' ').replaceAll(folder, '…');
  process.stdout.write(`${line}\n`);
  if (check === undefined) return;
  if (command === 'docker' && spawnSync('docker', ['buildx', 'version']).status !== 0) {
    process.stdout.write('# not checked: docker buildx is not installed\n');
  } else run(command, check, env, ['ignore', 'ignore', 'inherit']);
}

function run(command, args, env, stdio = 'inherit') {
  const { status, error } = spawnSync(command, args, { stdio, env: { ...process.env, ...env } });
  if (status !== 0) exit(`${command} failed: ${error?.message ?? `status ${status}`}`);
}

function exit(message) {
  process.stderr.write(`publish: ${message}\n`);
  process.exit(1);
}
