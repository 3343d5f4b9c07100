import { gzipSync } from 'node:zlib';
import { Client } from '../test/support/client.ts';
import {
  answers,
  build,
  buildVariant,
  Container,
  docker,
  dockerBytes,
  HARDENED,
  imageOf,
  NODE,
  TAG,
} from '../test/system/images/docker.ts';

/**
 * Compares the images with those of a bare hello world on the same Node: one written with `import`,
 * as is usual, and one with `require`, which makes Node load less.
 *
 * usage: node --import tsx bench/images.ts [-- ROUNDS]
 */

const ROUNDS = Number(process.argv[2] ?? 7);
const STARTS_PER_ROUND = 5;
const TODOS = 100_000;
const BARE = `todo-service-node:${TAG}`;

interface Subject {
  readonly name: string;
  readonly image: string;
  readonly path: string;
}

const HELLOS: readonly Subject[] = ['import', 'require'].map((name) => ({
  name: `hello (${name})`,
  image: `todo-service-hello-${name}:${TAG}`,
  path: '/',
}));
const SERVICES: readonly Subject[] = ['a', 'b'].map((variant) => ({
  name: `variant ${variant.toUpperCase()}`,
  image: imageOf(variant),
  path: '/api/todos',
}));
const SUBJECTS = [...HELLOS, ...SERVICES];

/** The measurements by name; each round adds a value to a subject's list. */
const FIGURES = {
  compressed: 'compressed, MB',
  unpacked: 'unpacked, MB',
  run: 'docker run to first 200, ms',
  start: 'start to first 200 inside, ms',
  cpu: 'CPU time to first 200, ms',
  idle: 'idle, memory of the cgroup, MiB',
  anonymous: 'idle, anonymous memory, MiB',
  resident: 'idle, resident memory, MiB',
  full: `with ${TODOS.toLocaleString('en')} todos, cgroup, MiB`,
  stop: 'docker stop, ms',
} as const;
type Figure = keyof typeof FIGURES;

const values = new Map<string, number[]>();

function note(figure: Figure, { name }: Subject, value: number): void {
  const key = `${figure} ${name}`;
  values.set(key, [...(values.get(key) ?? []), value]);
}

function medianOf(figure: Figure, { name }: Subject): number | undefined {
  const sorted = (values.get(`${figure} ${name}`) ?? []).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Runs inside a container: repeatedly starts the program of the image, and prints the milliseconds
 * until its first 200, and its CPU time by then. `ARGS` are the program's arguments.
 */
const START = `
  const { spawn } = require('node:child_process');
  const { connect } = require('node:net');
  const request = 'GET ' + process.argv[1] + ' HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n';
  const ask = (done) => {
    const socket = connect(8080, '127.0.0.1', () => socket.write(request));
    socket.once('data', (data) => { done(data.includes(' 200 ')); socket.destroy(); });
    socket.once('error', () => setTimeout(ask, 1, done));
  };
  const cpuMs = (pid) => fs.readdirSync('/proc/' + pid + '/task')
    .map((task) => fs.readFileSync('/proc/' + pid + '/task/' + task + '/schedstat', 'latin1'))
    .reduce((sum, line) => sum + Number(line.split(' ')[0]) / 1e6, 0);
  const startOnce = () => new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(process.execPath, ['/app/dist/main.js'], { stdio: 'ignore' });
    ask((ok) => {
      const result = [performance.now() - start, cpuMs(child.pid)];
      child.once('exit', () => ok ? resolve(result) : reject(new Error('not 200')));
      child.kill('SIGKILL');
    });
  });
  (async () => {
    const results = [];
    for (let i = 0; i < ${STARTS_PER_ROUND}; i++) results.push(await startOnce());
    console.log(JSON.stringify(results));
  })();
`;

async function measureSizes(subject: Subject): Promise<void> {
  const archive = await dockerBytes('image', 'save', subject.image);
  note('compressed', subject, gzipSync(archive).length / 1e6);
  const bytes = await docker('image', 'inspect', '--format', '{{.Size}}', subject.image);
  note('unpacked', subject, Number(bytes) / 1e6);
}

async function measureStarts(subject: Subject): Promise<void> {
  const flags = ['--rm', ...HARDENED, '--entrypoint', NODE, subject.image];
  const output = await docker('run', ...flags, '--eval', START, subject.path);
  for (const [ms, cpuMs] of JSON.parse(output) as readonly (readonly [number, number])[]) {
    note('start', subject, ms);
    note('cpu', subject, cpuMs);
  }
}

async function measureRun(subject: Subject): Promise<void> {
  const start = performance.now();
  const flags = [...HARDENED, '--no-healthcheck'];
  const container = await Container.start(subject.image, flags);
  try {
    const url = `${await container.baseUrl()}${subject.path}`;
    while (!(await answers(url)));
    note('run', subject, performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    note('idle', subject, await cgroupMemory(container));
    const status = await container.exec(`process.stdout.write(fs.readFileSync('/proc/1/status'))`);
    note('anonymous', subject, mebibytesIn(status, 'RssAnon'));
    note('resident', subject, mebibytesIn(status, 'VmRSS'));
    const stop = performance.now();
    await docker('stop', container.id);
    note('stop', subject, performance.now() - stop);
  } finally {
    await container.remove();
  }
}

async function measureFull(subject: Subject): Promise<void> {
  const limits = ['--env', `MAX_ROWS=${TODOS}`, '--env', 'MAX_BYTES=33554432'];
  const flags = [...HARDENED, '--no-healthcheck', ...limits];
  const container = await Container.start(subject.image, flags);
  try {
    await container.ready();
    const client = new Client(await container.baseUrl());
    let next = 0;
    const work = async () => {
      while (next < TODOS) {
        const title = `todo number ${next++}`;
        const todo = { title, description: 'two litres, from the shop' };
        const { status } = await client.post('/api/todos', todo);
        if (status !== 201) throw new Error(`answered ${status}`);
      }
    };
    await Promise.all(Array.from({ length: 32 }, work));
    await client.close();
    note('full', subject, await cgroupMemory(container));
  } finally {
    await container.remove();
  }
}

/** The memory that `docker stats` reports: without the inactive file cache. */
async function cgroupMemory({ id }: Container): Promise<number> {
  const usage = await docker('stats', '--no-stream', '--format', '{{.MemUsage}}', id);
  const [, amount, unit] = /^([\d.]+)([KMG]iB)/.exec(usage) ?? [];
  return Number(amount) * { KiB: 1 / 1024, MiB: 1, GiB: 1024 }[unit as 'KiB' | 'MiB' | 'GiB'];
}

function mebibytesIn(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}

function table(): string {
  const ratioTo = (hello: Subject | undefined, figure: Figure, service: Subject) => {
    const [value, bare] = [medianOf(figure, service), hello && medianOf(figure, hello)];
    return value === undefined || bare === undefined ? '' : (value / bare).toFixed(2);
  };
  const rows = (Object.keys(FIGURES) as Figure[]).map((figure) => [
    FIGURES[figure],
    ...SUBJECTS.map((subject) => medianOf(figure, subject)?.toFixed(1) ?? ''),
    ...HELLOS.map((hello) =>
      SERVICES.map((service) => ratioTo(hello, figure, service))
        .filter(Boolean)
        .join(', '),
    ),
  ]);
  const head = ['', ...SUBJECTS.map(({ name }) => name), 'A, B ÷ import', 'A, B ÷ require'];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map((_, i) => (i === 0 ? '---' : '--:')), ...rows].map(line).join('');
}

await build(BARE, ['--target', 'node']);
for (const [index, target] of ['import', 'require'].entries()) {
  const { image } = HELLOS[index] ?? { image: '' };
  await build(image, ['--target', target, '--build-arg', `NODE=${BARE}`], 'bench/images');
}
for (const variant of ['a', 'b']) await buildVariant(variant);

for (const subject of SUBJECTS) await measureSizes(subject);
for (let round = 0; round < ROUNDS; round++) {
  for (const subject of SUBJECTS) {
    await measureStarts(subject);
    await measureRun(subject);
  }
}
for (let round = 0; round < Math.min(ROUNDS, 3); round++)
  for (const subject of SERVICES) await measureFull(subject);

const engine = await docker('version', '--format', '{{.Server.Version}}');
process.stdout.write(
  `Medians of ${ROUNDS} rounds (of ${ROUNDS * STARTS_PER_ROUND} starts), Docker ${engine}, ${HARDENED.join(' ')}.\n\n${table()}`,
);
await docker('image', 'rm', '--force', BARE, ...SUBJECTS.map(({ image }) => image));
