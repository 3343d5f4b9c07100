import cluster from 'node:cluster';
import { type Config, ConfigError, type Settings, variableOf } from '../lib/config/index.ts';
import { unsupportedRuntime } from './runtime.ts';
import { PROCESS_SETTINGS } from './settings/process-settings.ts';

/** @throws ConfigError if the runtime is not supported. The programs of a build have checked it before. */
export function checkRuntime(): void {
  const reason = unsupportedRuntime(process.versions);
  if (reason !== undefined) throw new ConfigError(reason);
}

/** @throws ConfigError if `npm start` has taken a flag for itself, because no `--` is before it */
export function checkFlagsOfNpm(settings: Settings, config: Config, env: NodeJS.ProcessEnv): void {
  if (env.npm_lifecycle_event !== 'start') return;
  const setting = Object.keys(settings).find((name) => env[`npm_config_${npmNameOf(name)}`]);
  if (setting === undefined || config.isGiven(setting)) return;
  const flag = `--${npmNameOf(setting).replaceAll('_', '-')}`;
  throw new ConfigError(`npm has taken ${flag} for itself; type npm start -- ${flag} …`);
}

/** The name by which npm passes a flag on, such as `admin_token`. */
function npmNameOf(name: string): string {
  return variableOf(name).toLowerCase();
}

/** @throws ConfigError if the process is a worker of Node's cluster */
export function checkSingleProcess(): void {
  if (!cluster.isWorker) return;
  const reason = 'each worker of a cluster would have a list of its own';
  throw new ConfigError(`${reason}; start one process (in pm2, fork mode), or set STORE=etcd`);
}

/** The output of a process. */
interface ProcessOutput {
  readonly isTTY?: boolean | undefined;
}

/** Whether people read an output: it is a terminal, but not that of a container image. */
export function isForPeople({ isTTY = false }: ProcessOutput, env: NodeJS.ProcessEnv): boolean {
  return isTTY && env[PROCESS_SETTINGS.host.imageVariable] === undefined;
}

/** Whether someone runs the service by hand, and so may control it: at a terminal, and not in CI. */
export function isRunByHand(output: ProcessOutput, env: NodeJS.ProcessEnv): boolean {
  return isForPeople(output, env) && !env.CI;
}
