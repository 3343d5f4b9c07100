import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { ROOT } from '../../support/folder.ts';
import { docker, exportOf, HARDENED, imageOf, NODE } from './docker.ts';
import { readTar } from './tar.ts';

const SBOM = 'usr/share/sbom/todo-service.cdx.json';
const RECORDS = 'var/lib/dpkg/status.d/';
const SCHEMAS = new URL('node_modules/@cyclonedx/cyclonedx-library/res/schema/', import.meta.url);

/** An SBOM component, as far as this test uses it; the schema validates the rest. */
interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
}
interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

describe('the records of the contents of an image', () => {
  let files: ReadonlyMap<string, string>;
  before(async () => {
    const entries = readTar(await exportOf(imageOf('a')));
    files = new Map(
      entries
        .filter(({ name }) => /^(?:usr\/share|var|etc)\//.test(name))
        .map(({ name, content }) => [name, content.toString()]),
    );
  });
  const text = (name: string) => files.get(name) ?? assert.fail(`there is no ${name}`);

  /** The recorded Debian packages, with their fields. */
  const packages = () =>
    [...files.keys()]
      .filter((name) => name.startsWith(RECORDS) && name !== RECORDS)
      .map((name) => {
        const field = (of: string) => new RegExp(`^${of}: (.+)$`, 'm').exec(text(name))?.[1];
        assert.equal(field('Package'), name.slice(RECORDS.length));
        assert.equal(field('Status'), 'install ok installed');
        return { name: field('Package') ?? '', version: field('Version') ?? '' };
      });

  it('include the licences of the service, Node and every library', () => {
    const ours = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
    assert.equal(text('usr/share/doc/todo-service/LICENSE'), ours);
    assert.match(text('usr/share/doc/node/LICENSE'), /^Node\.js is licensed/);
    for (const { name } of packages()) {
      const licence = text(`usr/share/doc/${name}/copyright`);
      for (const [file] of licence.matchAll(/\/usr\/share\/common-licenses\/[\w.-]*\w/g))
        text(file.slice(1));
    }
  });

  it("include the distribution and its packages' records where scanners look for them", () => {
    assert.match(text('etc/os-release'), /^ID=debian$/m);
    assert.match(text('etc/debian_version'), /^\d+/);
    const names = packages().map(({ name }) => name);
    assert.deepEqual(names.toSorted(), ['libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6']);
  });

  it('include a valid CycloneDX SBOM that lists everything on record', async () => {
    const sbom: Sbom = JSON.parse(text(SBOM));
    const ajv = new Ajv({ strict: false, validateFormats: false });
    for (const name of ['spdx', 'jsf-0.82']) {
      const { $id: _, ...rest } = schema(name);
      ajv.addSchema(rest, `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    }
    assert(ajv.validate(schema('bom-1.6'), sbom), ajv.errorsText());

    const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    assert.equal(sbom.metadata.component.purl, `pkg:npm/${name}@${version}`);
    const versionOf = (name: string) =>
      sbom.components.find((component) => component.name === name)?.version;
    const node = ['run', '--rm', ...HARDENED, '--entrypoint', NODE, imageOf('a'), '--version'];
    assert.equal(`v${versionOf('node')}`, await docker(...node));
    for (const { name, version } of packages()) assert.equal(versionOf(name), version, name);
  });
});

function schema(name: string): { readonly $id: string } {
  return JSON.parse(readFileSync(new URL(`${name}.SNAPSHOT.schema.json`, SCHEMAS), 'utf8'));
}
