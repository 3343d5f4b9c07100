import type { TestContext } from 'node:test';
import { createApp } from '../../src/app.ts';
import type { HttpServer } from '../../src/http/server.ts';
import type { HttpSettings } from '../../src/http/settings.ts';
import type { TableOptions } from '../../src/table/table.ts';
import type { Variant } from '../../src/todo/fields.ts';
import { variantA } from '../../src/todo/variant-a.ts';
import { variantB } from '../../src/todo/variant-b.ts';

/** Both variants, for tests that hold for each of them. */
export const VARIANTS: readonly Variant[] = [variantA, variantB];

/** A service on a port of its own, with an empty store. */
export interface RunningService {
  readonly server: HttpServer;
  readonly port: number;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** Starts a service; whoever calls it stops it. */
export async function startService(
  variant: Variant,
  options: TableOptions = {},
  settings: Partial<HttpSettings> = {},
): Promise<RunningService> {
  const server = createApp(variant, options, settings);
  const { port } = await server.listen(0, '127.0.0.1');
  const stop = async () => {
    await server.drain(0);
  };
  return { server, port, baseUrl: `http://127.0.0.1:${port}`, stop };
}

/** A service that stops itself when its test ends. */
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
