// Runs tests: `node scripts/test.js SUITE [ARGUMENTS]`, where a suite is
//
//   quick                everything that needs only Node; the files of a folder share a process
//   api, unit, project   the quick tests of that folder of test/
//   long                 the tests of *.long.test.ts: load, memory, real clocks
//   system PATH          a folder below test/system, such as `browser` or `clients/before-release`
//   replicas PATH        a folder below test/replicas: `etcd`, `etcd/versions` or `simulation`
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folders whose tests need only Node. Others may need programs or packages. */
const NEED_ONLY_NODE =
  /^test\/(?:api|unit|project|system\/(?:program|load)|replicas\/(?:unit|simulation))\//;

/** Matches the folders that only run by name, because they take many minutes. */
const BY_NAME = /\/before-release\/|\/versions\//;

/** Experimental interfaces that tests use on purpose: mock timers of Node, EventSource of undici. */
const EXPECTED_WARNINGS = ['ExperimentalWarning', 'UNDICI-ES'];

const GROUPS = 'test/support/groups';
const [suite, ...args] = process.argv.slice(2);

if (suite === 'quick') runFiles([...groupsOf(''), ...ungroupedFiles()], 4);
else if (['api', 'unit', 'project'].includes(suite)) {
  if (suite === 'api') nameOwnServices();
  runFiles(groupsOf(suite), 2);
} else if (suite === 'long') runLong();
else if (['system', 'replicas'].includes(suite) && args.length > 0) runFolder(suite, ...args);
else exit(2, 'usage: node scripts/test.js quick | api | unit | project | long | SUITE PATH');

/** With BASE_URL_A or BASE_URL_B, names the files that start services of their own, too. */
function nameOwnServices() {
  if (!process.env.BASE_URL_A && !process.env.BASE_URL_B) return;
  const own = filesIn('test/api').filter(
    (file) => !isLong(file) && /\bstart(?:App|Admin)\b/.test(readFileSync(file, 'utf8')),
  );
  const names = own.map((file) => file.replace('test/api/', ''));
  process.stderr.write(`These start services of their own: ${names.join(', ')}\n`);
}

function runLong() {
  process.env.TEST_LIMIT_MS ??= '600000';
  runFiles(
    filesIn('test').filter((file) => isLong(file) && needsOnlyNode(file)),
    1,
  );
}

/** Installs the packages of a folder, and runs its tests or its program. */
function runFolder(suite, path, ...options) {
  const folder = join('test', suite, path);
  if (!existsSync(folder)) exit(2, `there is no ${folder}`);
  const own = folderWithPackage(folder);
  if (own !== undefined) {
    run('npm', ['ci', '--silent', '--ignore-scripts', '--prefix', own]);
    if (existsSync(join(own, 'tsconfig.json'))) run('npx', ['tsc', '-p', own]);
  }
  const program = join(folder, 'main.ts');
  if (existsSync(program)) run('node', ['--import', 'tsx', program, ...options]);
  else runFiles(filesIn(folder).filter(isAskedFor), 2, ['tsx']);

  function isAskedFor(file) {
    return !BY_NAME.test(file) || BY_NAME.test(`${folder}/`);
  }
}

function folderWithPackage(folder) {
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(folder) === 'test' ? undefined : folderWithPackage(dirname(folder));
}

/** The files that run the groups of a folder, or all groups. */
function groupsOf(folder) {
  return Object.keys(groups())
    .filter((name) => name.startsWith(folder))
    .map((name) => `${GROUPS}/${name}.ts`);
}

function groups() {
  return JSON.parse(readFileSync(`${GROUPS}/groups.json`, 'utf8'));
}

/** The quick files outside of the groups. Each runs in its own process. */
function ungroupedFiles() {
  const grouped = Object.values(groups())
    .flat()
    .map((folder) => `test/${folder}/`);
  const isGrouped = (file) => grouped.some((folder) => file.startsWith(folder));
  return filesIn('test').filter((file) => needsOnlyNode(file) && !isLong(file) && !isGrouped(file));
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file).replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.test.ts') && !/\/(node_modules|generated)\//.test(file))
    .sort();
}

function needsOnlyNode(file) {
  return NEED_ONLY_NODE.test(file);
}

function isLong(file) {
  return file.endsWith('.long.test.ts');
}

/** Runs test files. By default, `limits.ts` ends tests and processes that hang. */
function runFiles(files, concurrency, imports = ['tsx', './test/support/limits.ts']) {
  const options = [`--test-concurrency=${concurrency}`, '--test-reporter=spec'];
  const quiet = EXPECTED_WARNINGS.map((warning) => `--disable-warning=${warning}`);
  const flags = [...quiet, ...imports.flatMap((each) => ['--import', each])];
  run('node', [...flags, '--test', ...options, ...files]);
}

/** Runs a program, and ends with its status if that is not 0. */
function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) exit(status ?? 1, error?.message);
}

function exit(status, message) {
  if (message !== undefined) process.stderr.write(`${message}\n`);
  process.exit(status);
}
