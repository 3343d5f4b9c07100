import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Definition } from '../../../src/service/resource/definition.ts';
import { startApp, type TestOptions } from '../../support/service.ts';

/** This folder, where generated code finds its packages. */
export const HERE = fileURLToPath(new URL('.', import.meta.url));

/** A service, its document in a file, and a folder for generated code. */
export interface Documented {
  readonly baseUrl: string;
  readonly folder: string;
  readonly file: string;
}

/**
 * Starts a service and saves its document.
 * @param name the name of the folder, which replaces an existing one
 */
export async function documented(
  test: TestContext,
  name: string,
  variant: Definition,
  options: TestOptions = {},
): Promise<Documented> {
  const { baseUrl } = await startApp(test, variant, options);
  const folder = `${HERE}generated/${name}-${variant.name}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const document = await (await fetch(`${baseUrl}/openapi.json`)).json();
  const file = `${folder}/openapi.json`;
  writeFileSync(file, JSON.stringify(document, undefined, 2));
  return { baseUrl, folder, file };
}
