import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { parseCommand } from '../../src/lib/config/command-line.ts';
import type { Config } from '../../src/lib/config/config.ts';
import { App, type AppOptions } from '../../src/service/app.ts';
import type { Definition } from '../../src/service/resource/definition.ts';
import { resourceOfFile } from '../../src/service/resource/schema/resource-file.ts';
import { SETTINGS } from '../../src/service/settings/service-settings.ts';
import { VARIANTS as BY_NAME } from '../../src/service/todo/variants.ts';
import { clientFor } from './client.ts';

/** A schema that replaces the variants, for a run of tests with a resource of one's own. */
const { TEST_RESOURCE } = process.env;

/** All variants, for tests that apply to each. */
export const VARIANTS: readonly Definition[] =
  TEST_RESOURCE === undefined ? [...BY_NAME.values()] : [resourceOfFile(TEST_RESOURCE)];

/** A name that no variant has. */
export const UNKNOWN_VARIANT = VARIANTS.map(({ name }) => name).join('-');

/** A service on its own port. */
export interface RunningService {
  readonly app: App;
  readonly port: number;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** Options of a service, and settings by their environment variables. */
export interface TestOptions extends AppOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/** Parses settings from environment variables and flags. */
export function configOf(
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Config {
  const command = parseCommand(SETTINGS, [...args], env);
  assert.equal(command.name, 'serve');
  return command.config;
}

/** Creates a service that does not listen yet. */
export function appOf(variant: Definition, { env, ...options }: TestOptions): App {
  return new App(variant, { config: configOf(env), ...options });
}

/** Starts a service that stops when its test ends, and a client of it. */
export async function startApp(test: TestContext, variant: Definition, options: TestOptions = {}) {
  const service = await startService(variant, options);
  const client = clientFor(test, service.baseUrl);
  test.after(() => service.stop());
  return { ...service, client };
}

/** Starts a service; the caller stops it. */
export async function startService(
  variant: Definition,
  options: TestOptions = {},
): Promise<RunningService> {
  const app = appOf(variant, options);
  const { port } = await app.listen(0, '127.0.0.1');
  const stop = async () => {
    await app.stop(0);
  };
  return { app, port, baseUrl: `http://127.0.0.1:${port}`, stop };
}
