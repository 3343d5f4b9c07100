import type { App } from '../app.ts';
import { parseCommand } from '../config/command-line.ts';
import { ConfigError } from '../config/setting.ts';
import { configuredApp } from '../configured-app.ts';
import { parseSeed } from '../todo/seed.ts';
import type { StartTodoService, TodoServiceOptions } from './types.ts';

export type * from './types.ts';

/** How long requests in flight may take when a service stops, in milliseconds. */
const STOP_MS = 1_000;

/** This machine only, unless `HOST` says otherwise. */
const HOST = '127.0.0.1';

export const startTodoService: StartTodoService = async (options = {}) => {
  const { app, host, port } = prepared(options);
  const address = await app.listen(port, host === '*' ? undefined : host);
  const name = host.includes(':') ? `[${host}]` : host === '*' ? HOST : host;
  let stopped: Promise<unknown> | undefined;
  return {
    url: `http://${name}:${address.port}`,
    reset: () => app.reset(),
    stop: async () => {
      stopped ??= app.stop(STOP_MS);
      await stopped;
    },
  };
};

/** @throws ConfigError, SeedError */
function prepared({ variant, port = 0, seed, env = {} }: TodoServiceOptions): {
  readonly app: App;
  readonly host: string;
  readonly port: number;
} {
  if ('TZ' in env) throw new ConfigError('TZ is not an option: it belongs to the whole process');
  const settings = { HOST, ...env, PORT: String(port), ...(variant && { VARIANT: variant }) };
  const command = parseCommand([], settings);
  if (command.name !== 'serve') throw new ConfigError('there are no flags');
  const { config } = command;
  if (config.store !== 'memory') throw new ConfigError('STORE must be memory in the package');
  const items = seed && parseSeed(Buffer.from(JSON.stringify(seed)), config.variant.fields);
  const app = configuredApp(config, items ? { seed: items } : {});
  return { app, host: config.host, port: config.port };
}
