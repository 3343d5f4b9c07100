import { connect, createServer, type Server, type Socket } from 'node:net';

/** The treatment of connections. */
export type LinkMode =
  /** Forwards everything. */
  | 'open'
  /** Forwards nothing and closes nothing, like a partitioned network. */
  | 'cut'
  /** Closes all connections, and new ones at once. */
  | 'refuse';

/** A TCP proxy that can be cut. */
export class FaultyLink {
  mode: LinkMode = 'open';
  /** The ids of etcd nodes whose data is not forwarded. */
  readonly cutFrom = new Set<string>();
  readonly #target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #broken = new Set<Socket>();

  constructor(target: number) {
    this.#target = target;
    // As etcd does. With Nagle's algorithm, the end of a response would wait for a confirmation.
    this.#server = createServer({ noDelay: true }, (socket) => this.#connect(socket));
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Changes the treatment of all connections, including existing ones. */
  set(mode: LinkMode): void {
    this.mode = mode;
    if (mode === 'refuse') for (const socket of this.#sockets) socket.destroy();
    // Data that was not forwarded is missing from these streams.
    if (mode === 'open') for (const socket of this.#broken) socket.destroy();
  }

  #connect(client: Socket): void {
    if (this.mode === 'refuse') {
      client.destroy();
      return;
    }
    const target = connect({ port: this.#target, host: '127.0.0.1', noDelay: true });
    let source = '';
    client.once('data', (chunk) => {
      source = /^X-Server-From: (\w+)/m.exec(chunk.toString('latin1'))?.[1] ?? '';
    });
    const isCut = () => this.mode === 'cut' || this.cutFrom.has(source);
    this.#pass(client, target, isCut);
    this.#pass(target, client, isCut);
  }

  #pass(from: Socket, to: Socket, isCut: () => boolean): void {
    this.#sockets.add(from);
    from.on('data', (chunk) => {
      if (isCut()) this.#broken.add(from).add(to);
      else to.write(chunk);
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      this.#broken.delete(from);
      if (!isCut()) to.destroy();
    });
  }
}
