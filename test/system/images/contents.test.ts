import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { copyOfProject, ROOT, temporaryFolder } from '../../support/folder.ts';
import { VARIANTS } from '../../support/service.ts';
import {
  build,
  Container,
  docker,
  exportOf,
  HARDENED,
  imageOf,
  NODE,
  ORIGIN,
  TAG,
} from './docker.ts';
import { readTar, type TarEntry } from './tar.ts';

/** Every file that an image may have. It has no others, such as a shell or sources. */
const EXPECTED = [
  /^app\/dist\/(?:main|program|replicas|healthcheck)\.js$/,
  /^app\/dist\/package\.json$/,
  /^usr\/local\/bin\/node$/,
  /^(?:usr\/)?lib(?:64)?\/(?:[a-z0-9_]+-linux-gnu\/)?ld-linux-[a-z0-9-]+\.so\.\d+$/,
  /^(?:usr\/)?lib\/[a-z0-9_]+-linux-gnu\/lib(?:atomic|c|dl|gcc_s|m|pthread|stdc\+\+)\.so\.\d+$/,
  /^etc\/(?:os-release|debian_version)$/,
  /^usr\/share\/doc\/(?:node|todo-service)\/LICENSE$/,
  /^usr\/share\/doc\/lib[a-z0-9+-]+\/copyright$/,
  /^usr\/share\/common-licenses\/[A-Z][\w.-]*$/,
  /^usr\/share\/sbom\/todo-service\.cdx\.json$/,
  /^var\/lib\/dpkg\/status\.d\/lib[a-z0-9+-]+$/,
];

/** Mount points that the engine adds to every container. */
const OF_THE_ENGINE =
  /^(?:\.dockerenv|etc|etc\/(?:hostname|hosts|mtab|resolv\.conf)|(?:dev|proc|sys)(?:\/.*)?)$/;

const MAX_COMPRESSED_BYTES = 50e6;

interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly ExposedPorts: Readonly<Record<string, unknown>>;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Volumes: unknown;
}

for (const { name: variant } of VARIANTS) {
  describe(`the image of variant ${variant.toUpperCase()}`, () => {
    const image = imageOf(variant);
    let entries: readonly TarEntry[];
    let exported: Buffer;

    before(async () => {
      exported = await exportOf(image);
      entries = readTar(exported).filter(({ name }) => !OF_THE_ENGINE.test(name));
    });

    it('has only Node, its libraries and the service', () => {
      const files = entries.filter(({ isDirectory }) => !isDirectory).map(({ name }) => name);
      for (const file of files)
        assert(
          EXPECTED.some((pattern) => pattern.test(file)),
          file,
        );
      for (const pattern of EXPECTED) assert(files.some((file) => pattern.test(file)));
    });

    it('belongs to root, and has no writable or setuid files', () => {
      for (const { name, mode, uid, gid } of entries) {
        assert.equal(mode & 0o7222, 0, `${name} has mode ${mode.toString(8)}`);
        assert.deepEqual([uid, gid], [0, 0], name);
      }
    });

    it(`is at most ${MAX_COMPRESSED_BYTES / 1e6} MB compressed`, async () => {
      const { length } = await promisify(gzip)(exported);
      assert(length <= MAX_COMPRESSED_BYTES, `${length} bytes`);
    });

    it('states its command, user and description', async () => {
      const config: ImageConfig = JSON.parse(
        await docker('image', 'inspect', '--format', '{{json .Config}}', image),
      );
      const { version } = JSON.parse(
        readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
      );
      assert.match(config.User, /^[1-9]\d*:[1-9]\d*$/);
      assert.deepEqual(config.Entrypoint, [NODE, '/app/dist/main.js']);
      const [, node, ...args] = config.Healthcheck.Test;
      assert.deepEqual([node, args.at(-1)], [NODE, '/app/dist/healthcheck.js']);
      assert.deepEqual(Object.keys(config.ExposedPorts), ['8080/tcp']);
      assert(config.Env.includes(`IMAGE_VARIANT=${variant}`));
      assert(config.Env.includes('IMAGE_HOST=*'));
      assert(!config.Volumes);
      const label = (name: string) => config.Labels[`org.opencontainers.image.${name}`];
      assert.equal(label('title'), `todo-service-${variant}`);
      assert.equal(label('version'), version, 'ARG VERSION in the Dockerfile');
      assert.equal(label('licenses'), 'MIT');
      assert.match(label('description') ?? '', /to-do list/);
      assert.equal(label('revision'), ORIGIN.REVISION);
      assert.equal(label('source'), ORIGIN.SOURCE);
    });
  });
}

describe('a container', () => {
  let container: Container;
  before(async () => {
    container = await Container.start(imageOf('a'), HARDENED);
    await container.ready();
  });
  after(() => container.remove());

  it('runs the service as process 1, as an unprivileged user without capabilities', async () => {
    const status = await container.exec("process.stdout.write(fs.readFileSync('/proc/1/status'))");
    assert.match(status, /^Uid:\s+65532\s+65532\s+65532\s+65532$/m);
    assert.match(status, /^Gid:\s+65532\s+65532\s+65532\s+65532$/m);
    assert.match(status, /^Cap(?:Eff|Prm|Bnd):\s+0{16}$/m);
    assert.match(status, /^NoNewPrivs:\s+1$/m);
  });
});

describe('a build', () => {
  it('produces the same layers from every checkout of the same files', {
    timeout: 240_000,
  }, async () => {
    const directory = temporaryFolder();
    const [one, other] = [join(directory, 'one'), join(directory, 'other')];
    for (const name of CONTEXT) cpSync(join(ROOT, name), join(one, name), { recursive: true });
    cpSync(one, other, { recursive: true });
    assert.deepEqual(await layersOf(one), await layersOf(other, '--no-cache'));
  });

  it('produces the same program as a build without an image, byte for byte', async () => {
    const directory = copyOfProject();
    execFileSync(process.execPath, ['scripts/build.js'], { cwd: directory });
    const files = readTar(await exportOf(imageOf('a')));
    const programs = ['main.js', 'program.js', 'replicas.js', 'healthcheck.js'];
    for (const name of [...programs, 'package.json']) {
      const inImage = files.find((file) => file.name === `app/dist/${name}`)?.content;
      assert(inImage?.equals(readFileSync(join(directory, 'dist', name))), name);
    }
  });
});

/** The files that a build reads. */
const CONTEXT = [
  '.dockerignore',
  'Dockerfile',
  'LICENSE',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'scripts',
  'src',
];

async function layersOf(context: string, ...flags: string[]): Promise<readonly string[]> {
  const tag = `todo-service-a:${TAG}-again`;
  await build(tag, ['--target', 'variant-a', ...flags], context);
  const layers = await docker('image', 'inspect', '--format', '{{json .RootFS.Layers}}', tag);
  await docker('image', 'rm', tag);
  return JSON.parse(layers);
}
