import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/folder.ts';

const SCRIPTS = fileURLToPath(new URL('../../scripts', import.meta.url));

const READY = `# Changelog

## 1.2.3 - 2026-11-20

### Added

- A thing.
`;

/** A minimal project that can be released, with everything committed. */
class Project {
  readonly folder: string;

  constructor(changelog: string) {
    this.folder = temporaryFolder();
    const version = '1.2.3';
    this.write('package.json', JSON.stringify({ name: 'thing', version, type: 'module' }));
    this.write('package-lock.json', JSON.stringify({ version, packages: { '': { version } } }));
    this.write('Dockerfile', 'FROM scratch\nARG VERSION=1.2.3\n');
    const bake = 'variable "VERSION" { default = "1.2.3" }\ntarget "default" {}\n';
    this.write('scripts/docker-bake.hcl', bake);
    this.write('CHANGELOG.md', changelog);
    for (const script of ['changelog.js', 'publish.js', 'release.js', 'version.js']) {
      cpSync(join(SCRIPTS, script), join(this.folder, 'scripts', script));
    }
    this.git('init', '--quiet');
    this.commit();
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  git(...args: readonly string[]): string {
    const identity = ['-c', 'user.name=somebody', '-c', 'user.email=somebody@example.org'];
    return execFileSync('git', [...identity, ...args], { cwd: this.folder, encoding: 'utf8' });
  }

  commit(): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', 'All of it');
  }

  release(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    return this.run(['scripts/release.js', '--skip-tests', ...args]);
  }

  run(command: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const variables = {
      ...process.env,
      GIT_COMMITTER_NAME: 'somebody',
      GIT_COMMITTER_EMAIL: 'somebody@example.org',
      GITHUB_REPOSITORY: 'Some-Team/thing',
      PACKAGE_NAME: '@some-team/thing',
      GITHUB_REF_NAME: undefined,
      ...env,
    };
    const options = { cwd: this.folder, encoding: 'utf8', env: variables } as const;
    return spawnSync(process.execPath, command, options);
  }
}

describe('scripts/release.js', () => {
  it('only reports in a dry run that a release is possible', () => {
    const project = new Project(READY);
    const { status, stdout, stderr } = project.release('--dry-run');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^thing 1\.2\.3 can be released\n/m);
    assert.equal(project.git('tag'), '');
  });

  it('tags, and prints the refs to push', () => {
    const project = new Project(READY);
    const { status, stdout, stderr } = project.release();
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^thing 1\.2\.3 is tagged v1\.2\.3\./m);
    assert.match(stdout, /git push origin HEAD v1\.2\.3/);
    assert.equal(project.git('tag'), 'v1.2.3\n');
  });

  it('refuses a second release of the same version', () => {
    const project = new Project(READY);
    project.git('tag', 'v1.2.3');
    const { status, stderr } = project.release('--dry-run');
    assert.equal(status, 1);
    assert.match(stderr, /^release: the tag v1\.2\.3 exists: .+\n$/);
  });

  it('lists everything that is not ready', () => {
    const project = new Project(READY.replace('2026-11-20', 'unreleased'));
    project.write('package.json', '{ "name": "thing", "version": "1.2.4", "type": "module" }');
    const { status, stderr } = project.release();
    assert.equal(status, 1);
    assert.deepEqual(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.split(/[:,]/)[1]),
      [
        ' the tree has changes',
        ' package-lock.json is not of version 1.2.4',
        ' Dockerfile or scripts/docker-bake.hcl is not of version 1.2.4',
        ' CHANGELOG.md has no dated section for 1.2.4 with a change in it',
      ],
    );
    assert.equal(project.git('tag'), '');
  });

  it('finds the version in the files of the images once npm version has been run', () => {
    const project = new Project(READY.replace('1.2.3', '2.0.0-rc.1'));
    const version = '2.0.0-rc.1';
    project.write('package.json', JSON.stringify({ name: 'thing', version, type: 'module' }));
    project.write('package-lock.json', JSON.stringify({ version, packages: { '': { version } } }));
    project.commit();
    assert.equal(project.release('--dry-run').status, 1);
    execFileSync(process.execPath, ['scripts/version.js'], { cwd: project.folder });
    project.commit();
    const { status, stderr } = project.release('--dry-run');
    assert.equal(status, 0, stderr);
  });

  for (const [what, changelog] of [
    ['without a date', READY.replace('2026-11-20', 'unreleased')],
    ['without an entry', READY.replace('- A thing.', '')],
    ['of another version', READY.replace('1.2.3', '1.2.30')],
  ] as const) {
    it(`refuses a changelog section ${what}`, () => {
      const { status, stderr } = new Project(changelog).release('--dry-run');
      assert.equal(status, 1);
      assert.match(stderr, /^release: CHANGELOG\.md has no dated section for 1\.2\.3 [^\n]+\n$/);
    });
  }
});

describe('scripts/publish.js', () => {
  for (const [version, kind, tags, extra] of [
    ['1.2.3', 'latest', ['1.2.3', 'latest'], ''],
    ['1.2.3-rc.1', 'next', ['1.2.3-rc.1'], ' --prerelease'],
  ] as const) {
    it(`publishes ${version} under the names of the repository`, () => {
      const project = new Project(READY.replace('1.2.3', version));
      project.write('package.json', JSON.stringify({ name: 'thing', version, type: 'module' }));
      const linesOf = (step: string) => {
        const { status, stdout, stderr } = project.run(['scripts/publish.js', step, '--dry-run']);
        assert.equal(status, 0, stderr);
        return stdout.trim().split('\n');
      };
      const [images = ''] = linesOf('images');
      assert.match(images, /^NAMESPACE=ghcr\.io\/some-team\/ TAG=\S+-(?:amd64|arm64) /);
      assert.match(
        images,
        / SOURCE=https:\/\/github\.com\/Some-Team\/thing docker buildx bake .* --push$/,
      );
      const tarball = `…/named/some-team-thing-${version}.tgz`;
      assert.deepEqual(linesOf('npm'), [`npm publish ${tarball} --tag ${kind}`]);
      assert.deepEqual(linesOf('release'), [
        ...['a', 'b'].map((variant) => {
          const image = `ghcr.io/some-team/todo-service-${variant}:`;
          const names = tags.map((name) => `--tag ${image}${name}`).join(' ');
          const parts = `${image}${version}-amd64 ${image}${version}-arm64`;
          return `docker buildx imagetools create ${names} ${parts}`;
        }),
        `gh release create v${version} ${tarball} dist/todo-service.cjs --verify-tag --title todo-service ${version} --notes-file …/notes.md${extra}`,
      ]);
    });
  }

  it('refuses a tag of another version', () => {
    const command = ['scripts/publish.js', 'npm', '--dry-run'];
    const { status, stderr } = new Project(READY).run(command, { GITHUB_REF_NAME: 'v1.2.4' });
    const message = 'the tag is v1.2.4, but the version in package.json is 1.2.3';
    assert.deepEqual([status, stderr], [1, `publish: ${message}\n`]);
  });
});
