import { connect, createServer, type Server, type Socket } from 'node:net';

/** How a proxy treats connections. */
export type LinkMode =
  /** Passes everything on. */
  | 'open'
  /** Passes nothing on and closes nothing, as a network does that is cut. */
  | 'cut'
  /** Closes everything, and whatever comes. */
  | 'refuse';

/** A TCP proxy that can be cut, can be late, and can lose answers. */
export class FaultyLink {
  mode: LinkMode = 'open';
  /** The share of answers that are lost, with their connection. */
  lossRate = 0;
  /** How late what comes from the target is passed on, in milliseconds. */
  delayMs = 0;
  /** Nodes of etcd, by their ids, from which nothing is passed on. */
  readonly cutFrom = new Set<string>();
  readonly #target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #broken = new Set<Socket>();

  constructor(target: number) {
    this.#target = target;
    this.#server = createServer((socket) => this.#connect(socket));
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Changes how connections are treated, those too that there are. */
  set(mode: LinkMode): void {
    this.mode = mode;
    if (mode === 'refuse') for (const socket of this.#sockets) socket.destroy();
    // What was not passed on is missing.
    if (mode === 'open') for (const socket of this.#broken) socket.destroy();
  }

  #connect(client: Socket): void {
    if (this.mode === 'refuse') {
      client.destroy();
      return;
    }
    const target = connect(this.#target, '127.0.0.1');
    let source = '';
    client.once('data', (chunk) => {
      source = /^X-Server-From: (\w+)/m.exec(chunk.toString('latin1'))?.[1] ?? '';
    });
    const isCut = () => this.mode === 'cut' || this.cutFrom.has(source);
    this.#pass(client, target, isCut, () => {});
    this.#pass(target, client, isCut, (chunk) => {
      // An answer, not a part of a watch, begins with its status line.
      const isAnswer = chunk.subarray(0, 4).toString('latin1') === 'HTTP';
      if (isAnswer && Math.random() < this.lossRate) client.destroy();
    });
  }

  #pass(from: Socket, to: Socket, isCut: () => boolean, before: (chunk: Buffer) => void): void {
    this.#sockets.add(from);
    from.on('data', (chunk) => {
      if (isCut()) {
        this.#broken.add(from).add(to);
        return;
      }
      before(chunk);
      if (this.delayMs === 0) to.write(chunk);
      else setTimeout(() => to.destroyed || to.write(chunk), this.delayMs);
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      this.#broken.delete(from);
      if (!isCut()) to.destroy();
    });
  }
}
