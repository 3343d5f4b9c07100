import { execFile, spawn } from 'node:child_process';
import { get } from 'node:http';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

/** The documented flags to run the images with the least privileges. */
export const HARDENED: readonly string[] = [
  '--read-only',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  '--memory=128m',
  '--pids-limit=64',
];

export const NODE = '/usr/local/bin/node';

/** The tag of the images under test, unique so as not to touch other images or runs. */
export const TAG = process.env.IMAGE_TAG ?? `test-${process.pid}`;

export function imageOf(variant: string): string {
  return `todo-service-${variant}:${TAG}`;
}

/** The output of a command, and its exit status. */
export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in the root of the project, whatever its status. */
export async function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const options = { cwd: ROOT, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
  try {
    return { status: 0, ...(await promisify(execFile)(command, args, options)) };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as Partial<Ran> & { code?: unknown };
    if (typeof code !== 'number') throw error;
    return { status: code, stdout, stderr };
  }
}

/**
 * Runs the docker CLI and returns its output.
 * @throws if it fails
 */
export async function docker(...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await run('docker', args);
  if (status !== 0) throw new Error(`docker ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** Runs the docker CLI and returns its standard output as bytes. */
export async function dockerBytes(...args: readonly string[]): Promise<Buffer> {
  const child = spawn('docker', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The files of an image, as an archive. */
export async function exportOf(image: string): Promise<Buffer> {
  const container = new Container(await docker('create', image));
  return dockerBytes('export', container.id).finally(() => container.remove());
}

/**
 * Builds a stage of a Dockerfile. DOCKER_BUILD_FLAGS can adapt it to the network, such as
 * `--network=host`.
 */
export async function build(tag: string, args: readonly string[], context = '.'): Promise<void> {
  const flags = (process.env.DOCKER_BUILD_FLAGS ?? '').split(' ').filter(Boolean);
  await docker('build', '--quiet', ...flags, '--tag', tag, ...args, context);
}

/** The origin that the images under test are labelled with. */
export const ORIGIN = { REVISION: '0123abc', SOURCE: 'https://git.example/team/todo-service' };

/** Builds the image of a variant. */
export function buildVariant(variant: string): Promise<void> {
  const origin = Object.entries(ORIGIN).flatMap(([name, value]) => [
    ...['--build-arg', `${name}=${value}`],
  ]);
  return build(imageOf(variant), ['--target', `variant-${variant}`, ...origin]);
}

/** A container; the caller removes it with {@link Container.remove}. */
export class Container {
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  /** Runs an image, with its port 8080 published on a free port. */
  static async start(image: string, flags: readonly string[]) {
    const publish = ['--publish', '127.0.0.1::8080'];
    return new Container(await docker('run', '--detach', ...publish, ...flags, image));
  }

  async baseUrl(): Promise<string> {
    return `http://${await docker('port', this.id, '8080/tcp')}`;
  }

  /** Waits until the service responds. */
  async ready(): Promise<void> {
    const url = await this.baseUrl();
    await until('it answers', () => answers(`${url}/readyz`), { everyMs: 20 });
  }

  async inspect(format: string): Promise<string> {
    return docker('inspect', '--format', format, this.id);
  }

  /** Runs a script in the container with its own Node. */
  exec(script: string): Promise<string> {
    return docker('exec', this.id, NODE, '--eval', script);
  }

  async remove(): Promise<void> {
    await docker('rm', '--force', '--volumes', this.id);
  }
}

/** Runs an image until a test ends. */
export async function containerFor(test: TestContext, image: string, flags: readonly string[]) {
  const container = await Container.start(image, flags);
  test.after(() => container.remove());
  return container;
}

/**
 * Whether a GET gets 200. Without `fetch`: in Node 20 it can wait for ever if the engine's proxy
 * accepts a connection and drops it because no program listens behind it yet.
 */
export function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false, timeout: 1_000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    })
      .on('timeout', () => resolve(false))
      .on('error', () => resolve(false));
  });
}
