import type { TestContext } from 'node:test';
import { App } from '../../src/app.ts';
import type { AppOptions } from '../../src/app-options.ts';
import type { HttpSettings } from '../../src/http/server/settings.ts';
import type { TableOptions } from '../../src/table/table.ts';
import type { Variant } from '../../src/todo/variant.ts';
import { variantA } from '../../src/todo/variant-a.ts';
import { variantB } from '../../src/todo/variant-b.ts';

/** Both variants, for tests that apply to each. */
export const VARIANTS: readonly Variant[] = [variantA, variantB];

/** A service on its own port, with an empty store. */
export interface RunningService {
  readonly app: App;
  readonly port: number;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** Starts a service; the caller stops it. */
export async function startService(
  variant: Variant,
  options: TableOptions = {},
  settings: Partial<HttpSettings> = {},
): Promise<RunningService> {
  return listening(new App(variant, { table: options, http: settings }));
}

/** Starts a service that stops when its test ends. */
export async function serviceFor(
  test: TestContext,
  variant: Variant,
  options: TableOptions = {},
  settings: Partial<HttpSettings> = {},
): Promise<RunningService> {
  const service = await startService(variant, options, settings);
  test.after(() => service.stop());
  return service;
}

/** Starts a service with any options that stops when its test ends. */
export async function startApp(
  test: TestContext,
  variant: Variant,
  options: AppOptions,
): Promise<RunningService> {
  const service = await listening(new App(variant, options));
  test.after(() => service.stop());
  return service;
}

async function listening(app: App): Promise<RunningService> {
  const { port } = await app.listen(0, '127.0.0.1');
  const stop = async () => {
    await app.stop(0);
  };
  return { app, port, baseUrl: `http://127.0.0.1:${port}`, stop };
}
