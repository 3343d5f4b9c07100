import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { clock } from '../../src/lib/clock.ts';
import { type Fault, type Seed, startTodoService } from '../../src/package/index.ts';
import type { Definition } from '../../src/service/resource/definition.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, SEED, TOKEN } from './admin.ts';
import { assertProblem } from './assertions.ts';
import { clientFor } from './client.ts';
import { type RawClient, rawClientFor } from './raw.ts';
import { getRequest } from './raw-requests.ts';
import type { RequestOptions } from './requests.ts';
import { VARIANTS } from './service.ts';

/** Each variant, both ways to set faults, and both places of a list, with and without a base path. */
const SITUATIONS: readonly Situation[] = [
  { variant: variantA, way: 'over HTTP', basePath: '', name: undefined },
  { variant: variantB, way: 'over HTTP', basePath: '/base', name: 'anna' },
  { variant: variantA, way: 'in process', basePath: '/base', name: undefined },
  { variant: variantB, way: 'in process', basePath: '', name: 'ben' },
];

assert.deepEqual(new Set(SITUATIONS.map(({ variant }) => variant)), new Set(VARIANTS));

export interface Situation {
  readonly variant: Definition;
  readonly way: 'over HTTP' | 'in process';
  readonly basePath: string;
  readonly name: string | undefined;
}

/** Runs a suite in each situation of a list whose faults are set. */
export function describeFaults(title: string, suite: (situation: Situation) => void): void {
  for (const situation of SITUATIONS) {
    const { variant, way, basePath, name } = situation;
    const place = `${basePath}${name === undefined ? '' : `/lists/${name}`}`;
    describe(`${title}, ${way}, variant ${variant.name}, at "${place}"`, () => suite(situation));
  }
}

/** A list with three items, or others, and how to set its faults. */
export async function startFaults(
  test: TestContext,
  { variant, way, basePath, name }: Situation,
  seed: Seed = SEED,
) {
  const env = { ADMIN_TOKEN: TOKEN, BASE_PATH: basePath };
  const service = await startTodoService({ variant: variant.name, seed, env });
  test.after(() => service.stop());
  const list = name === undefined ? service : await service.list(name);
  const prefix = name === undefined ? basePath : `${basePath}/lists/${name}`;
  const { origin, port } = new URL(service.url);
  const client = clientFor(test, origin);
  const isOverHttp = way === 'over HTTP';
  const at = (path: string) => prefix + path;
  /** Sets the faults. @returns the response, or its equivalent in process */
  const put = (faults: readonly object[]) =>
    client.request('PUT', at('/admin/faults'), {
      headers: { ...AUTHORIZED, 'content-type': 'application/json' },
      body: JSON.stringify({ faults }),
    });
  const setFaults = async (...faults: readonly Fault[]) => {
    if (!isOverHttp) return void (await list.faults(faults));
    const answer = await put(faults);
    assert.equal(answer.status, 200, answer.text);
  };
  /** The violations of a fault, their pointers relative to it; empty for the fault itself. */
  const violations = async (fault: object) => {
    const errors = isOverHttp
      ? assertProblem(await put([fault]), 400, 'validation-failed').errors
      : await list.faults([fault]).then(
          () => [],
          (error) => error.violations,
        );
    return (errors ?? []).map(({ pointer, detail }: { pointer: string; detail: string }) => {
      const start = isOverHttp ? '#/faults/0' : '#/0';
      assert(pointer.startsWith(start), pointer);
      return `${pointer.slice(start.length).replace(/^\//, '')} ${detail}`.trim();
    });
  };
  const request = (method: string, path: string, options: RequestOptions = {}) =>
    client.request(method, at(path), options);
  const get = (path: string, headers: Record<string, string> = {}) => client.get(at(path), headers);
  return {
    ...{ list, client, at, get, request, setFaults, violations, origin },
    hits: async () => (await list.faults()).map((fault) => fault.hits),
    /** Sends a request on a connection of its own. */
    open: async (path: string, fields = '', method = 'GET') => {
      const raw = await rawClientFor(test, Number(port));
      return new OpenResponse(raw.send(getRequest(at(path), fields).replace('GET', method)));
    },
  };
}

/** What has arrived of a response on a connection of its own. */
class OpenResponse {
  readonly raw: RawClient;
  #text = '';

  constructor(raw: RawClient) {
    this.raw = raw;
    raw.socket.on('data', (chunk) => {
      this.#text += chunk.toString('latin1');
    });
  }

  get head(): string {
    return this.#text.slice(0, this.#text.indexOf('\r\n\r\n'));
  }

  /** The bytes after the header section, with chunks as they are. */
  get content(): string {
    const end = this.#text.indexOf('\r\n\r\n');
    return end === -1 ? '' : this.#text.slice(end + 4);
  }

  get contentLength(): number {
    return Number(/^content-length: (\d+)$/im.exec(this.head)?.[1]);
  }

  /** The lines of header fields with a name, whatever its case. */
  fields(name: string): readonly string[] {
    const lines = this.head.split('\r\n');
    return lines.filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `));
  }
}

/** Delays of more than half an hour end at once, and are noted. */
export function notedDelays(test: TestContext): number[] {
  const delays: number[] = [];
  const { setTimeout } = clock;
  test.mock.method(clock, 'setTimeout', (callback: () => void, ms: number) => {
    if (ms < 1_800_000) return setTimeout(callback, ms);
    delays.push(ms);
    return setTimeout(callback, 0);
  });
  return delays;
}
