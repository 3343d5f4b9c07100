import { createServer, request, type Server } from 'node:http';
import { pipeline } from 'node:stream';
import { freePorts } from '../../../support/ports.ts';

/** A response as an intermediary passes it on, or makes it up. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Decides on each request: it may be forwarded never, once or several times. */
export type Policy = (
  path: string,
  body: string,
  forward: () => Promise<Reply>,
) => Promise<Reply | 'reset'>;

/** An HTTP intermediary before etcd that does as it is told, unlike one that only forwards. */
export class Intermediary {
  policy: Policy = (_path, _body, forward) => forward();
  readonly #target: number;
  readonly #server: Server;

  constructor(target: number) {
    this.#target = target;
    this.#server = createServer(async (input, output) => {
      const path = input.url ?? '';
      let body = '';
      for await (const chunk of input.setEncoding('utf8')) body += chunk;
      const send = () => {
        const { authorization } = input.headers;
        const headers = authorization === undefined ? {} : { authorization };
        return request({ port: this.#target, host: '127.0.0.1', path, method: 'POST', headers });
      };
      const forward = () =>
        new Promise<Reply>((resolve, reject) => {
          const sent = send().on('error', reject);
          sent.once('response', (answer) => {
            let text = '';
            answer.setEncoding('utf8').on('data', (chunk) => {
              text += chunk;
            });
            answer.once('error', reject);
            answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
          });
          sent.end(body);
        });
      if (path !== '/v3/watch') {
        const reply = await this.policy(path, body, forward).catch(() => 'reset' as const);
        if (reply === 'reset') output.destroy();
        else output.writeHead(reply.status).end(reply.body);
      } else {
        const sent = send().on('error', () => output.destroy());
        sent.once('response', (answer) => pipeline(answer, output, () => sent.destroy()));
        output.once('close', () => sent.destroy());
        sent.end(body);
      }
    });
  }

  async listen(): Promise<string> {
    const [port = 0] = await freePorts(1);
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
