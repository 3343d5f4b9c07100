// Writes the records of an image's contents, for people and for scanners:
// - the licences of the service, of Node and of the libraries;
// - Debian's records of the libraries' packages, at the same place as in distroless images;
// - an SBOM (CycloneDX 1.6) of all of them.
// The records have no dates or random numbers, so that the same image gets the same bytes.
// usage, in the base image: node image-records.js ROOT LIBRARY…
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const COMMON_LICENCE = /\/usr\/share\/common-licenses\/[\w.-]*\w/g;

/**
 * Entries of `process.versions` that are not components: Node itself, and versions of interfaces.
 */
const NO_PARTS = ['node', 'modules', 'napi'];

const [root, ...libraries] = process.argv.slice(2);
const { name, version, license } = JSON.parse(readFileSync('package.json', 'utf8'));
const packages = packagesOf(libraries);

copy('LICENSE', `usr/share/doc/${name}/LICENSE`);
copy(licenceOfNode(), 'usr/share/doc/node/LICENSE');
for (const file of ['/etc/os-release', '/etc/debian_version']) copy(file, file);
for (const { Package, record, licence } of packages) {
  write(`var/lib/dpkg/status.d/${Package}`, record);
  copy(licence, `usr/share/doc/${Package}/copyright`);
  for (const [file] of readFileSync(licence, 'utf8').matchAll(COMMON_LICENCE)) copy(file, file);
}
write(`usr/share/sbom/${name}.cdx.json`, `${JSON.stringify(sbom(), null, 1)}\n`);

/**
 * The Debian packages that contain the files: their records, as a text and by field, and licences.
 */
function packagesOf(files) {
  const owners = files.map((file) => run('dpkg', '-S', realpathSync(file)).split(':')[0]);
  return [...new Set(owners)].sort().map((owner) => {
    const record = run('dpkg-query', '--status', owner);
    const fields = [...record.matchAll(/^([\w-]+): (.+)$/gm)].map(([, ...field]) => field);
    return { ...Object.fromEntries(fields), record, licence: licenceOf(owner) };
  });
}

/** The licence file of a package, which only another package of the same source may have. */
function licenceOf(owner) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: they are dpkg's placeholders
  const all = run('dpkg-query', '--show', '--showformat=${source:Package} ${Package}\n')
    .split('\n')
    .map((line) => line.split(' '));
  const source = all.find(([, other]) => other === owner)[0];
  const siblings = all.filter(([other]) => other === source).map(([, sibling]) => sibling);
  const files = [owner, ...siblings].map((other) => `/usr/share/doc/${other}/copyright`);
  const file = files.find((path) => existsSync(path));
  if (file === undefined) throw new Error(`the base image has no licence of ${owner}`);
  return file;
}

/** The official image has it; for other images, it is taken from Node's npm package. */
function licenceOfNode() {
  const file = '/usr/local/LICENSE';
  if (existsSync(file)) return file;
  const folder = mkdtempSync(join(tmpdir(), 'node-'));
  const spec = `node-linux-${arch()}@${process.versions.node}`;
  const archive = run('npm', 'pack', '--silent', '--pack-destination', folder, spec).trim();
  run('tar', '-xzf', join(folder, archive), '-C', folder, 'package/LICENSE');
  return join(folder, 'package/LICENSE');
}

function sbom() {
  const { NAME, ID, VERSION_ID } = Object.fromEntries(
    [...readFileSync('/etc/os-release', 'utf8').matchAll(/^(\w+)="?([^"\n]*)"?$/gm)].map(
      ([, ...pair]) => pair,
    ),
  );
  const service = {
    type: 'application',
    ...{ name, version, 'bom-ref': name, purl: `pkg:npm/${name}@${version}` },
    licenses: [{ license: { id: license } }],
  };
  const node = {
    type: 'platform',
    ...{ name: 'node', version: process.versions.node, 'bom-ref': 'node' },
    cpe: `cpe:2.3:a:nodejs:node.js:${process.versions.node}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/node@${process.versions.node}`,
    components: Object.entries(process.versions)
      .filter(([part, its]) => its && !NO_PARTS.includes(part))
      .map(([part, its]) => ({ type: 'library', name: part, version: its })),
  };
  const distribution = {
    type: 'operating-system',
    ...{ name: ID, version: VERSION_ID, description: NAME, 'bom-ref': ID },
  };
  const debian = packages.map(({ Package, Version, Architecture }) => {
    const query = `arch=${Architecture}&distro=${ID}-${VERSION_ID}`;
    const path = [ID, Package].map(encodeURIComponent).join('/');
    const purl = `pkg:deb/${path}@${encodeURIComponent(Version)}?${query}`;
    return { type: 'library', name: Package, version: Version, 'bom-ref': purl, purl };
  });
  return {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
    metadata: { component: service },
    components: [distribution, node, ...debian],
    dependencies: [
      { ref: name, dependsOn: ['node'] },
      { ref: 'node', dependsOn: debian.map(({ purl }) => purl) },
    ],
  };
}

function copy(from, to) {
  const path = join(root, to);
  mkdirSync(dirname(path), { recursive: true });
  cpSync(realpathSync(from), path);
}

function write(to, text) {
  const path = join(root, to);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function run(command, ...args) {
  return execFileSync(command, args, { encoding: 'utf8' });
}
