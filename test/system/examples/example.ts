import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { cloneOfProject, git } from '../../support/clone.ts';
import { ROOT } from '../../support/folder.ts';
import type { ComposeProgram } from '../images/compose.ts';
import { imageOf, TAG } from '../images/docker.ts';

/** The image that replaces nginx's. */
export const NGINX = 'todo-service-test-nginx';

/** The image that replaces etcd's. */
export const ETCD = 'todo-service-test-etcd';

/** The text of an example's file. */
export function exampleFile(name: string): string {
  return readFileSync(join(ROOT, 'examples', name), 'utf8');
}

/** An example in a new clone of the project, where its README's commands run as a user runs them. */
export class Example {
  readonly #clone: string;
  readonly #name: string;
  readonly #commands: string[];

  private constructor(clone: string, name: string) {
    this.#clone = clone;
    this.#name = name;
    const [, block = ''] = /```sh\n([^`]+)```/.exec(exampleFile(`${name}/README.md`)) ?? [];
    this.#commands = block
      .trim()
      .split('\n')
      .map((line) => line.replace(/\s+#.*/, ''));
  }

  static async clone(name: string): Promise<Example> {
    return new Example(await cloneOfProject(), name);
  }

  get folder(): string {
    return join(this.#clone, 'examples', this.#name);
  }

  /**
   * Runs the next commands of the README.
   * @param expected the commands, each with the one that runs in its place, if it is another
   * @throws if one fails, with all its output
   */
  async run(
    expected: readonly (string | readonly [string, string])[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<void> {
    for (const each of expected) {
      const [shown, replacement = shown] = typeof each === 'string' ? [each] : each;
      assert.equal(this.#commands.shift(), shown);
      await runIn(this.folder, ['bash', '-e', '-c', replacement], env);
    }
  }

  /** Asserts that every command of the README has run, and none has changed a file of the clone. */
  async end(): Promise<void> {
    assert.deepEqual(this.#commands, [], 'commands that have not run');
    const changes = await git(['status', '--porcelain'], this.#clone);
    assert.equal(changes, '', 'changed files');
  }
}

/** The command that builds the image of a variant, with the tag of this run. */
export function buildOf(variant: string): readonly [string, string] {
  const shown = `docker build --target variant-${variant} -t todo-service-${variant} ../..`;
  return [shown, shown.replace(`todo-service-${variant} `, `${imageOf(variant)} `)];
}

/**
 * Runs a command in a folder, as a user would.
 * @throws if it fails, with all its output
 */
export async function runIn(
  folder: string,
  [program, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const options = { cwd: folder, env: { ...inherited, ...env }, maxBuffer: 64 * 1024 * 1024 };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    const { message, stdout, stderr } = Object(error);
    throw new Error(`${message}\n${stdout}\n${stderr}`);
  }
}

/** The compose stack of an example, removed after the test. */
export class Stack {
  readonly env: NodeJS.ProcessEnv;
  readonly #program: ComposeProgram;
  readonly #folder: string;

  /** @param test the test that starts it with the commands of the README */
  constructor(test: TestContext, { folder }: Example, name: string, program: ComposeProgram) {
    this.#program = program;
    this.#folder = folder;
    const project = `${name}-${TAG}`.toLowerCase();
    this.env = { TAG, NGINX_IMAGE: NGINX, PORT: '0', COMPOSE_PROJECT_NAME: project };
    test.after(() => this.#compose('down', '--volumes'));
  }

  /** The address of a service's port, as seen from this machine. */
  async urlOf(service: string, port: number): Promise<string> {
    const address = await this.#compose('port', service, String(port));
    return `http://${address.trim().replace('0.0.0.0', '127.0.0.1')}`;
  }

  #compose(...more: string[]): Promise<string> {
    const [program, ...args] = this.#program;
    return runIn(this.#folder, [program, ...args, ...more], this.env);
  }
}
