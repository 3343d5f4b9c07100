import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  );
  const file = join(home, 'nginx.conf');
  writeFileSync(
    file,
    `user root; daemon off; pid ${home}/pid; error_log ${home}/error.log; worker_processes 1;
     events { worker_connections 1024; }
     http { access_log off; ${paths.join(' ')} ${server} }`,
  );
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
