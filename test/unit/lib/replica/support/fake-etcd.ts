import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../../../support/ports.ts';
import { SimulatedEtcd } from '../../../../system/simulation/etcd/gateway.ts';

/** The faults of a fake. Each applies until it is changed. */
export interface Faults {
  /** What happens to a transaction that writes: the request or its response may be lost. */
  txn: () => 'lose-answer' | 'lose-request' | undefined;
  /** The delay of watches, in milliseconds. */
  watchDelayMs: number;
  /** Requests get no response. */
  isSilent: boolean;
}

/** The simulated etcd behind a real port, with faults of its own. */
export class FakeEtcd {
  readonly gateway = new SimulatedEtcd();
  readonly faults: Faults = { txn: () => undefined, watchDelayMs: 0, isSilent: false };
  /** The number of transactions that wrote something. */
  commits = 0;
  readonly #watches = new Set<ServerResponse>();
  readonly #server: Server;
  #port = 0;

  constructor() {
    this.gateway.onWrite = () => this.commits++;
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  get store() {
    return this.gateway.store;
  }

  async listen(): Promise<string> {
    if (this.#port === 0) [this.#port = 0] = await freePorts(1);
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Refuses connections until it listens again. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Ends all watches, like the exit of a node. */
  breakWatches(): void {
    for (const output of this.#watches) output.destroy();
  }

  get watches(): number {
    return this.#watches.size;
  }

  async #serve(request: IncomingMessage, output: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const { url = '', headers } = request;
    if (this.faults.isSilent) return;
    if (url === '/v3/watch') this.#watch(body, headers.authorization, output);
    else this.#respond(url, body, headers.authorization, output);
  }

  #respond(url: string, body: string, token: string | undefined, output: ServerResponse): void {
    const isWriting = url === '/v3/kv/txn' && body.includes('"request_put"');
    const fault = isWriting ? this.faults.txn() : undefined;
    if (fault === 'lose-request') output.destroy();
    else {
      const reply = this.gateway.handle(url, body, token);
      if (fault === 'lose-answer') output.destroy();
      else output.writeHead(reply.status).end(reply.body);
    }
  }

  #watch(body: string, token: string | undefined, output: ServerResponse): void {
    let last = Promise.resolve();
    const send = (line: string) => {
      const delayMs = line.includes('"events"') ? this.faults.watchDelayMs : 0;
      if (delayMs === 0 && !isDelayed) output.write(line);
      else {
        isDelayed = true;
        const sent = Promise.all([last, sleep(delayMs)]);
        last = sent.then(() => {
          output.write(line);
        });
      }
    };
    let isDelayed = false;
    const watch = this.gateway.watch(body, send, token);
    if (typeof watch === 'object') {
      output.writeHead(watch.status).end(watch.body);
      return;
    }
    output.flushHeaders();
    this.#watches.add(output);
    output.on('close', () => {
      this.#watches.delete(output);
      watch();
    });
  }
}
