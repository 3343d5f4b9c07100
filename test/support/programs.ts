import { spawnSync } from 'node:child_process';

/** Returns the reason to skip a test if a program that it starts is missing; false if none is. */
export function missing(...programs: readonly string[]): string | false {
  const name = programs.find((program) => spawnSync(program, ['--version']).error !== undefined);
  return name !== undefined && `${name} is not installed`;
}
