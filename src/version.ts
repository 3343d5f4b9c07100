import { readFileSync } from 'node:fs';

/** The version of this service, from its package.json. */
export function version(): string {
  const file = `${import.meta.dirname}/../package.json`;
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}
