import { run } from './docker.ts';

/** A command that runs compose, such as `docker compose`. */
export type ComposeProgram = readonly [string, ...string[]];

/** The programs to look for: Compose v2, a plugin, and docker-compose 1.29. */
const PROGRAMS: readonly ComposeProgram[] = [['docker', 'compose'], ['docker-compose']];

/** Returns the programs that are installed. */
export async function composePrograms(): Promise<readonly ComposeProgram[]> {
  const present: ComposeProgram[] = [];
  for (const program of PROGRAMS) if (await isThere(program)) present.push(program);
  return present;
}

async function isThere([command, ...args]: ComposeProgram): Promise<boolean> {
  return run(command, [...args, 'version']).then(
    ({ status }) => status === 0,
    () => false,
  );
}
