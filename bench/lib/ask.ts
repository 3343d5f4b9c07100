import { readFileSync } from 'node:fs';
import type { Server } from './server.ts';

/** A response of a server: its content, and the header fields that the program set itself. */
export interface Answer {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Header fields that `node:http` sets itself, or that depend on the length of the content. */
const FIELDS_OF_NODE = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];

/** The server's response to the GET requests of a file whose size is closest to their mean. */
export async function typicalAnswer(server: Server, file: string): Promise<Answer> {
  const targets = new Set(
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => (line.startsWith('GET\t') ? [line.slice(4)] : [])),
  );
  const some = [...targets].slice(0, 200);
  const answers = await Promise.all(some.map((target) => get(server, target)));
  const mean = answers.reduce((sum, { body }) => sum + body.length, 0) / answers.length;
  const distance = ({ body }: Answer) => Math.abs(body.length - mean);
  return answers.reduce((best, answer) => (distance(answer) < distance(best) ? answer : best));
}

/** The number of rows in the response to a GET request. */
export async function countRows(server: Server, target: string): Promise<number> {
  const rows: unknown = JSON.parse((await get(server, target)).body.toString());
  return Array.isArray(rows) ? rows.length : 1;
}

async function get({ name, port }: Server, target: string): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${target}`);
  if (!response.ok) throw new Error(`${name} answers ${response.status} to ${target}`);
  const fields = [...response.headers].filter(([field]) => !FIELDS_OF_NODE.includes(field));
  const body = Buffer.from(await response.arrayBuffer());
  return { fields: Object.fromEntries(fields), body };
}
