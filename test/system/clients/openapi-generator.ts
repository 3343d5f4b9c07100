import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { it } from 'node:test';
import { VARIANTS } from '../../support/service.ts';
import { documented } from './documents.ts';
import { runProgram } from './run.ts';

/** The newest version in Maven Central. */
const VERSION = '7.25.0';

/** What is downloaded and compiled once, and kept for the next run. */
export const CACHE = `${process.env.XDG_CACHE_HOME ?? `${homedir()}/.cache`}/todo-service-clients`;

/** The token that the services of these tests have. */
export const TOKEN = 'a-token';

/** The list with a name that they have. */
export const LIST_NAME = 'anna';

const JAR = `${CACHE}/openapi-generator-cli-${VERSION}.jar`;

/** How a client is made from a document, and a program with it compiled and run. */
export interface GeneratedClient {
  /** The name of the generator. */
  readonly generator: string;
  /** Options that choose what the generator makes; everything else is its default. */
  readonly options?: readonly string[];
  /** Compiles the client in a folder and the program beside it, and runs that against a service. */
  readonly run: (folder: string, url: string) => Promise<unknown>;
}

/** Tests that a generated client, unmodified, can do what its program does, for both variants. */
export function testGeneratedClient({ generator, options = [], run }: GeneratedClient): void {
  for (const variant of VARIANTS) {
    it(`openapi-generator makes a client for ${generator} of variant ${variant.name}`, async (test) => {
      const { baseUrl, folder, file } = await documented(test, generator, variant, {
        env: { ADMIN_TOKEN: TOKEN, LISTS: LIST_NAME },
      });
      await generateClient(generator, file, `${folder}/client`, options);
      await run(`${folder}/client`, baseUrl);
    });
  }
}

/** Generates a client from the document in a file. @param options of the generator */
export async function generateClient(
  generator: string,
  file: string,
  folder: string,
  options: readonly string[] = [],
): Promise<void> {
  await downloadGenerator();
  const input = ['-g', generator, '-i', file, '-o', folder, ...options];
  await runProgram('java', ['-XX:TieredStopAtLevel=1', '-jar', JAR, 'generate', ...input]);
}

async function downloadGenerator(): Promise<void> {
  if (existsSync(JAR)) return;
  const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${VERSION}`;
  const copy = ['-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${CACHE}`];
  await runProgram('mvn', copy);
}
