import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nginxConfig } from '../../../support/nginx.ts';
import { freePorts } from '../../../support/ports.ts';
import { until } from '../../../support/until.ts';
import { Program } from './process.ts';
import type { ReplicaProcess } from './replica.ts';

const CONFIGURATION = new URL('../../../../examples/replicas/nginx.conf', import.meta.url);

/** Starts nginx in front of three replicas, with the configuration from the examples. */
export async function startNginx(
  replicas: readonly ReplicaProcess[],
  directory: string,
): Promise<{ readonly baseUrl: string; readonly program: Program }> {
  const [port = 0] = await freePorts(1);
  let server = readFileSync(CONFIGURATION, 'utf8').replace(
    'listen 80;',
    `listen 127.0.0.1:${port};`,
  );
  for (const [index, { baseUrl }] of replicas.entries()) {
    server = server.replace(`replica-${index + 1}:8080`, new URL(baseUrl).host);
  }
  const home = join(directory, `nginx-${port}`);
  mkdirSync(home);
  const file = join(home, 'nginx.conf');
  writeFileSync(file, nginxConfig(home, server));
  const program = new Program(
    'nginx',
    ['-c', file, '-e', join(home, 'error.log')],
    {
      PATH: `${process.env.PATH}:/usr/sbin`,
    },
    join(home, 'log'),
  );
  program.start();
  const baseUrl = `http://127.0.0.1:${port}`;
  await until('nginx answers', async () => (await fetch(`${baseUrl}/livez`)).status > 0);
  return { baseUrl, program };
}
