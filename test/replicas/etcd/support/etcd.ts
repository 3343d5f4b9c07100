import { execFile, execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../support/folder.ts';
import { freePorts } from '../../../support/ports.ts';
import { until } from '../../../support/until.ts';
import { FaultyLink } from './faulty-link.ts';
import { Program } from './process.ts';
import { chosenVersion, type EtcdVersion, etcdProgram } from './versions.ts';

const run = promisify(execFile);

/** The most that etcdctl may print: all rows, also if each was written hundreds of times. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** A node of etcd. */
export interface EtcdNode {
  readonly name: string;
  readonly program: Program;
  readonly clientPort: number;
  /** The proxy between replicas and the node. */
  readonly proxy: FaultyLink;
  readonly url: string;
  /** The proxy between the other nodes and the node. */
  readonly peerProxy: FaultyLink;
  readonly dataDir: string;
  readonly peerUrl: string;
}

/** The configuration of a cluster. */
export interface ClusterOptions {
  readonly args?: readonly string[];
  readonly scheme?: 'http' | 'https';
  /** The number of nodes; three by default. */
  readonly size?: number;
  /** By default, the one that the environment names. */
  readonly version?: EtcdVersion;
}

/** Installs Debian's etcd and nginx if they are missing. */
export function ensureInstalled(): void {
  try {
    execFileSync('sh', ['-c', 'command -v etcd && command -v etcdctl && command -v nginx']);
  } catch {
    const install =
      'apt-get update -qq && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive ' +
      'apt-get install -y -qq --no-install-recommends etcd-server etcd-client nginx-light openssl';
    execFileSync('sh', ['-c', install], { stdio: 'inherit' });
  }
}

/**
 * Nodes of etcd on this machine, with their data on disk, and proxies between replicas and
 * nodes and between each pair of nodes.
 */
export class EtcdCluster {
  readonly nodes: readonly EtcdNode[];
  readonly directory: string;

  private constructor(nodes: readonly EtcdNode[], directory: string) {
    this.nodes = nodes;
    this.directory = directory;
  }

  static async start(options: ClusterOptions = {}): Promise<EtcdCluster> {
    const { args = [], scheme = 'http', size = 3, version = chosenVersion() } = options;
    const command = etcdProgram(version);
    const directory = temporaryFolder();
    const ports = await freePorts(4 * size);
    const take = () => ports.pop() ?? 0;
    const base = Array.from({ length: size }, (_, index) => ({
      name: `n${index}`,
      clientPort: take(),
      proxyPort: take(),
      peerPort: take(),
      // The other nodes connect to this port.
      peerProxyPort: take(),
    }));
    const initial = base.map(({ name, peerProxyPort: port }) => `${name}=http://127.0.0.1:${port}`);
    const nodes: EtcdNode[] = [];
    for (const { name, clientPort, proxyPort, peerPort, peerProxyPort } of base) {
      const proxy = new FaultyLink(clientPort);
      const peerProxy = new FaultyLink(peerPort);
      await Promise.all([proxy.listen(proxyPort), peerProxy.listen(peerProxyPort)]);
      const dataDir = join(directory, name);
      const program = new Program(
        command,
        [
          ...['--name', name, '--data-dir', dataDir],
          ...['--listen-client-urls', `${scheme}://127.0.0.1:${clientPort}`],
          ...['--advertise-client-urls', `${scheme}://127.0.0.1:${clientPort}`],
          ...['--listen-peer-urls', `http://127.0.0.1:${peerPort}`],
          ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peerProxyPort}`],
          ...['--initial-cluster', initial.join(','), '--initial-cluster-state', 'new'],
          ...['--logger', 'zap', '--log-level', 'error', ...args],
        ],
        { ETCD_UNSUPPORTED_ARCH: process.arch },
        join(directory, `${name}.log`),
      );
      const url = `${scheme}://127.0.0.1:${proxyPort}`;
      const peerUrl = `http://127.0.0.1:${peerProxyPort}`;
      nodes.push({ name, program, clientPort, proxy, url, peerProxy, dataDir, peerUrl });
    }
    const cluster = new EtcdCluster(nodes, directory);
    for (const { program } of nodes) program.start();
    if (scheme === 'http') await cluster.healthy();
    return cluster;
  }

  /** The endpoints for replicas. */
  get endpoints(): string {
    return this.nodes.map(({ url }) => url).join(',');
  }

  /** Waits until a majority has a leader, and all nodes respond. */
  async healthy(): Promise<void> {
    await until('etcd is healthy', async () => {
      const answers = await Promise.all(this.nodes.map(isAnswering));
      return answers.every((ok) => ok);
    });
  }

  /** The current leader, and the followers. */
  async roles(): Promise<{ leader: EtcdNode; followers: readonly EtcdNode[] }> {
    for (let tries = 0; tries < 100; tries++) {
      for (const node of this.nodes) {
        const status = await json(node, '/v3/maintenance/status', {});
        if (status?.leader !== undefined && status.leader === status.header?.member_id) {
          return { leader: node, followers: this.nodes.filter((each) => each !== node) };
        }
      }
      await sleep(50);
    }
    throw new Error('there is no leader');
  }

  /** Cuts a node off from the other nodes, in both directions. */
  async isolate(node: EtcdNode): Promise<void> {
    const status = await json(node, '/v3/maintenance/status', {});
    const id = BigInt(status?.header?.member_id ?? 0).toString(16);
    for (const each of this.nodes) {
      if (each === node) each.peerProxy.set('cut');
      else each.peerProxy.cutFrom.add(id);
    }
  }

  /** Restores all connections. */
  heal(): void {
    for (const { proxy, peerProxy } of this.nodes) {
      for (const each of [proxy, peerProxy]) {
        each.cutFrom.clear();
        each.set('open');
      }
    }
  }

  /** Stops all nodes and restarts them from a backup. */
  async restore(backup: string): Promise<void> {
    await Promise.all(this.nodes.map(({ program }) => program.end('SIGTERM')));
    for (const { name, dataDir, peerUrl } of this.nodes) {
      rmSync(dataDir, { recursive: true });
      await this.ctl(
        ...['snapshot', 'restore', backup, '--name', name, '--data-dir', dataDir],
        ...['--initial-cluster', this.nodes.map((node) => `${node.name}=${node.peerUrl}`).join()],
        ...['--initial-advertise-peer-urls', peerUrl],
      );
    }
    for (const { program } of this.nodes) program.start();
    await this.healthy();
  }

  /** A node loses its disk, and comes back as a cluster of its own. */
  async separate(node: EtcdNode): Promise<void> {
    const { name, program, peerUrl, dataDir } = node;
    await program.end('SIGTERM');
    rmSync(dataDir, { recursive: true });
    const members = program.args[program.args.indexOf('--initial-cluster') + 1];
    const alone = `${name}=${peerUrl}`;
    program.args = program.args.map((arg) => (arg === members ? alone : arg));
    program.start();
    await until('it is alone', () => isAnswering(node));
  }

  /** Runs etcdctl against the nodes, without the proxies. */
  async ctl(...args: string[]): Promise<string> {
    // A snapshot must be requested of a single node.
    const asked = args[0] === 'snapshot' ? this.nodes.slice(0, 1) : this.nodes;
    const endpoints = asked.map(({ clientPort }) => `http://127.0.0.1:${clientPort}`);
    const env = { ...process.env, ETCDCTL_API: '3' };
    const options = { env, maxBuffer: MAX_OUTPUT_BYTES };
    const all = [`--endpoints=${endpoints.join(',')}`, ...args];
    return (await run('etcdctl', all, options)).stdout;
  }

  async stop(): Promise<void> {
    for (const { program, proxy, peerProxy } of this.nodes) {
      program.resume();
      await program.end();
      for (const each of [proxy, peerProxy]) each.close();
    }
  }
}

interface StatusJson {
  readonly header?: { readonly member_id?: string };
  readonly leader?: string;
}

/** Sends a request to a node, without its proxy; undefined if there is no response. */
async function json(
  { clientPort }: EtcdNode,
  path: string,
  body: object,
): Promise<StatusJson | undefined> {
  try {
    const signal = AbortSignal.timeout(1_000);
    const url = `http://127.0.0.1:${clientPort}${path}`;
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), signal });
    if (!answer.ok) return undefined;
    // The status of a node, as far as tests use it.
    return (await answer.json()) as StatusJson;
  } catch {
    return undefined;
  }
}

async function isAnswering(node: EtcdNode): Promise<boolean> {
  return (await json(node, '/v3/kv/range', { key: 'YQ==' })) !== undefined;
}
