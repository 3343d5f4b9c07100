import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUTHORIZED, TOKEN } from '../../support/admin.ts';
import { heapFlags } from '../../support/heap.ts';
import { LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { Random } from '../../support/random.ts';
import { RawClient } from '../../support/raw.ts';
import { getRequest } from '../../support/raw-requests.ts';
import { type Attack, drawAttack } from './attack.ts';
import { fill } from './fill.ts';

/** Others are tried by hand, longer. */
const SEED = Number(process.env.SEED ?? 1);

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 60);

/** The heap of the service, in MiB. */
const HEAP = Number(process.env.ATTACK_HEAP ?? 64);

/** How long the clients of an attack stay, in milliseconds. */
const ATTACK_MS = 1_500;

/** The longest until a health check succeeds, and until the service responds as before, in milliseconds. */
const MAX_RECOVERY_MS = 30_000;

const ROWS = 4_000;

/** The connections that are opened at a time, because the backlog is not endless. */
const AT_ONCE = 200;

it(`in ${SECONDS} s, no attack ends a process with a heap of ${HEAP} MiB`, async (test) => {
  test.diagnostic(`SEED=${SEED}`);
  const random = new Random(SEED);
  const end = performance.now() + SECONDS * 1_000;
  const failures: string[] = [];
  let attacks = 0;
  let worst = { ms: 0, description: '' };
  let target = await Target.start(test);
  while (performance.now() < end) {
    const attack = drawAttack(random);
    attacks++;
    const ms = await target.suffer(attack);
    if (ms !== undefined && ms > worst.ms) worst = { ms, description: attack.description };
    const failure = await target.failure();
    if (failure === undefined) continue;
    failures.push(`${failure}: ${attack.description}`);
    test.diagnostic(failures.at(-1) ?? '');
    target = await Target.start(test);
  }
  test.diagnostic(`${attacks} attacks; a health check took ${worst.ms} ms of processor time`);
  test.diagnostic(`beside ${worst.description}`);
  assert.deepEqual(failures, [], `SEED=${SEED}`);
});

/** A service with items, which is attacked. */
class Target {
  readonly #process: ServiceProcess;
  readonly #baseUrl: string;
  readonly #port: number;
  #hasExited = false;
  /** Whether a health check has succeeded beside the last attack. */
  #isHealthy = true;

  private constructor(process: ServiceProcess, baseUrl: string) {
    this.#process = process;
    this.#baseUrl = baseUrl;
    this.#port = Number(new URL(baseUrl).port);
    void process.exit.then(() => {
      this.#hasExited = true;
    });
  }

  static async start(test: TestContext): Promise<Target> {
    const env = { NODE_OPTIONS: heapFlags(HEAP), ADMIN_TOKEN: TOKEN };
    const process = new ServiceProcess(test, ['--port=0'], env);
    const target = new Target(process, await process.baseUrl());
    await target.#fill();
    return target;
  }

  /** @returns the processor time until a health check succeeds meanwhile, in milliseconds */
  async suffer(attack: Attack): Promise<number | undefined> {
    await this.#setFaults(attack);
    const start = this.#cpuMs();
    const until = performance.now() + ATTACK_MS;
    const sending = this.#send(attack);
    const checked = this.#firstHealth().then(() => this.#cpuMs());
    const beside = this.#actBeside(attack, until);
    const clients = await sending;
    const checkedAt = await checked;
    await beside;
    await sleep(Math.max(0, until - performance.now()));
    for (const client of clients) client.destroy();
    return start === undefined || checkedAt === undefined ? undefined : checkedAt - start;
  }

  /** Why it does not serve after an attack; undefined if it does. */
  async failure(): Promise<string | undefined> {
    const deadline = performance.now() + MAX_RECOVERY_MS;
    if (!this.#isHealthy) return `no health check succeeds within ${MAX_RECOVERY_MS} ms`;
    while (!this.#hasExited) {
      const isReset = await this.#request('POST', '/admin/reset', '[]');
      const isEmpty = isReset && (await this.#request('PUT', '/admin/faults', '{"faults":[]}'));
      if (isEmpty && (await this.#deleteLists())) {
        await this.#fill();
        return undefined;
      }
      if (performance.now() > deadline) return `does not serve after ${MAX_RECOVERY_MS} ms`;
      await sleep(100);
    }
    const { status, stderr } = await this.#process.exit;
    return `exit ${status} (${/FATAL ERROR: [^\n]*/.exec(stderr)?.[0] ?? stderr.slice(0, 200)})`;
  }

  #cpuMs(): number | undefined {
    return this.#hasExited ? undefined : this.#process.cpuMs;
  }

  async #fill(): Promise<void> {
    // It may have died a moment ago, which `failure` tells.
    await fill(this.#port, ROWS, '.'.repeat(500)).catch(() => {});
  }

  async #setFaults({ hold }: Attack): Promise<void> {
    const isDelay = hold === 'delayMs' || hold === 'responseDelayMs';
    const faults = isDelay ? [{ [hold]: ATTACK_MS / 2 }] : [];
    await this.#request('PUT', '/admin/faults', JSON.stringify({ faults }));
  }

  async #send({ clients: count, bytes, doRead }: Attack): Promise<readonly RawClient[]> {
    const clients: RawClient[] = [];
    for (let from = 0; from < count && !this.#hasExited; from += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => from + i);
      const connecting = numbers.map(async (number) => {
        const client = await RawClient.connect(this.#port).catch(() => undefined);
        if (client === undefined) return;
        client.ignore();
        if (!doRead) client.socket.pause();
        clients.push(client.send(bytes(number)));
      });
      await Promise.all(connecting);
    }
    return clients;
  }

  /** Fulfilled when a health check on a new connection has succeeded, or none does. */
  async #firstHealth(): Promise<void> {
    const deadline = performance.now() + MAX_RECOVERY_MS;
    await sleep(50);
    while (!this.#hasExited) {
      this.#isHealthy = performance.now() < deadline;
      if (!this.#isHealthy) return;
      const client = await RawClient.connect(this.#port).catch(() => undefined);
      const response = client?.send(getRequest('/livez')).next();
      const status = (await response?.catch(() => undefined))?.status;
      client?.destroy();
      if (status === 200) return;
      await sleep(20);
    }
  }

  async #actBeside({ beside }: Attack, until: number): Promise<void> {
    while (beside !== 'nothing' && performance.now() < until && !this.#hasExited) {
      if (beside === 'resets') await this.#request('POST', '/admin/reset', '[{"title":"x"}]');
      else if (beside === 'single writes') await this.#request('POST', LIST, '{"title":"x"}');
      else await this.#request('PATCH', `${LIST}?id.gte=1`, `{"priority":${1 + (attempt++ % 5)}}`);
    }
  }

  async #deleteLists(): Promise<boolean> {
    const response = await this.#fetch('GET', '/admin/lists');
    if (!response?.ok) return false;
    const lists: readonly { readonly name: string }[] = JSON.parse(response.text);
    for (const { name } of lists) await this.#request('DELETE', `/admin/lists/${name}`);
    return true;
  }

  async #request(method: string, path: string, body?: string): Promise<boolean> {
    return (await this.#fetch(method, path, body))?.ok ?? false;
  }

  async #fetch(method: string, path: string, body: string | null = null) {
    const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(10_000);
    try {
      const response = await fetch(this.#baseUrl + path, { method, headers, body, signal });
      return { ok: response.ok, text: await response.text() };
    } catch {
      return undefined;
    }
  }
}

/** Makes each write to all items another one. */
let attempt = 0;
