import { readFileSync } from 'node:fs';
import type { Server } from './server.ts';

/**
 * Of the bodies that a server answers to the GET requests of a file, the one whose size is nearest
 * to their mean.
 */
export async function typicalAnswer(server: Server, file: string): Promise<Buffer> {
  const targets = new Set(
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => (line.startsWith('GET\t') ? [line.slice(4)] : [])),
  );
  const bodies = await Promise.all([...targets].slice(0, 200).map((target) => get(server, target)));
  const mean = bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length;
  const distance = (body: Buffer) => Math.abs(body.length - mean);
  return bodies.reduce((best, body) => (distance(body) < distance(best) ? body : best));
}

/** How many rows a server answers to a GET request. */
export async function countRows(server: Server, target: string): Promise<number> {
  const rows: unknown = JSON.parse((await get(server, target)).toString());
  return Array.isArray(rows) ? rows.length : 1;
}

async function get({ name, port }: Server, target: string): Promise<Buffer> {
  const response = await fetch(`http://127.0.0.1:${port}${target}`);
  if (!response.ok) throw new Error(`${name} answers ${response.status} to ${target}`);
  return Buffer.from(await response.arrayBuffer());
}
