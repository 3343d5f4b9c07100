import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { ROOT, temporaryFolder } from '../../support/folder.ts';
import type { ComposeProgram } from '../images/compose.ts';
import { run, TAG } from '../images/docker.ts';

/** The image that replaces nginx's. */
export const NGINX = 'todo-service-test-nginx';

/** The text of an example's file. */
export function exampleFile(name: string): string {
  return readFileSync(join(ROOT, 'examples', name), 'utf8');
}

/** Copies an example's folder, so that nothing is installed into the original. */
export function copyOf(name: string): string {
  const folder = temporaryFolder();
  const isOwn = (source: string) => !source.includes('node_modules');
  cpSync(join(ROOT, 'examples', name), folder, { recursive: true, filter: isOwn });
  return folder;
}

/**
 * Runs a command in a folder, as a user would.
 * @throws if it fails, with all its output
 */
export async function runIn(
  folder: string,
  [command, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const options = { cwd: folder, env: { ...inherited, ...env } };
  const { stdout } = await promisify(execFile)(command, args, options);
  return stdout;
}

/** An example's compose stack, started for a test and removed after it. */
export class Stack {
  readonly env: NodeJS.ProcessEnv;
  readonly #command: ComposeProgram;

  private constructor(example: string, [program, ...args]: ComposeProgram) {
    const file = `examples/${example}/compose.yaml`;
    this.#command = [program, ...args, '--file', file];
    const project = `${example}-${TAG}`.toLowerCase();
    this.env = { TAG, NGINX_IMAGE: NGINX, PORT: '0', COMPOSE_PROJECT_NAME: project };
  }

  static async start(test: TestContext, example: string, program: ComposeProgram): Promise<Stack> {
    const stack = new Stack(example, program);
    test.after(() => stack.#compose('down', '--volumes'));
    await stack.#compose('up', '--detach', '--no-build');
    return stack;
  }

  /** The address of a service's port, as seen from this machine. */
  async urlOf(service: string, port: number): Promise<string> {
    const address = await this.#compose('port', service, String(port));
    return `http://${address.trim().replace('0.0.0.0', '127.0.0.1')}`;
  }

  async #compose(...more: string[]): Promise<string> {
    const [program, ...args] = this.#command;
    const { status, stdout, stderr } = await run(program, [...args, ...more], this.env);
    assert.equal(status, 0, stderr);
    return stdout;
  }
}
