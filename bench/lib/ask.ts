import type { Server } from './server.ts';

/** A response of a server: its content, and the header fields that the program set itself. */
export interface Response {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Header fields that `node:http` sets itself, or that depend on the length of the content. */
const FIELDS_OF_NODE = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];

/** The response to the GET requests below a list whose size is closest to their mean. */
export async function typicalAnswer(server: Server, paths: readonly string[]): Promise<Response> {
  const answers: Response[] = [];
  for (const path of paths) answers.push(await get(server, path));
  const mean = answers.reduce((sum, { body }) => sum + body.length, 0) / answers.length;
  const distance = ({ body }: Response) => Math.abs(body.length - mean);
  return answers.reduce((best, answer) => (distance(answer) < distance(best) ? answer : best));
}

/** The number of rows in the response to a GET request. */
export async function countRows(server: Server, path: string): Promise<number> {
  const rows: unknown = JSON.parse((await get(server, path)).body.toString());
  return Array.isArray(rows) ? rows.length : 1;
}

async function get({ name, list }: Server, path: string): Promise<Response> {
  const response = await fetch(list + path);
  if (!response.ok) throw new Error(`${name} answers ${response.status} to ${path}`);
  const fields = [...response.headers].filter(([field]) => !FIELDS_OF_NODE.includes(field));
  const body = Buffer.from(await response.arrayBuffer());
  return { fields: Object.fromEntries(fields), body };
}
