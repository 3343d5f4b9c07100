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
    this.write('scripts/docker-bake.hcl', 'variable "VERSION" { default = "1.2.3" }\n');
    this.write('CHANGELOG.md', changelog);
    for (const script of ['release.js', 'version.js']) {
      cpSync(join(SCRIPTS, script), join(this.folder, script));
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
    const identity = {
      GIT_COMMITTER_NAME: 'somebody',
      GIT_COMMITTER_EMAIL: 'somebody@example.org',
    };
    return spawnSync(process.execPath, ['release.js', '--skip-tests', ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      env: { ...process.env, ...identity },
    });
  }
}

describe('scripts/release.js', () => {
  it('only reports in a dry run that a release is possible', () => {
    const project = new Project(READY);
    const { status, stdout, stderr } = project.release('--dry-run');
    assert.deepEqual([status, stdout, stderr], [0, 'thing 1.2.3 can be released\n', '']);
    assert.equal(project.git('tag'), '');
  });

  it('tags, packs and prints the refs to push', () => {
    const project = new Project(READY);
    const { status, stdout, stderr } = project.release();
    assert.equal(status, 0, stderr);
    assert.match(stdout, /tagged v1\.2\.3 and packed as thing-1\.2\.3\.tgz/);
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
    execFileSync(process.execPath, ['version.js'], { cwd: project.folder });
    project.commit();
    const { stdout, stderr } = project.release('--dry-run');
    assert.deepEqual([stdout, stderr], ['thing 2.0.0-rc.1 can be released\n', '']);
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
