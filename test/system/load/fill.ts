import assert from 'node:assert/strict';
import { RawClient } from '../../support/raw.ts';
import { createRequest } from '../../support/raw-requests.ts';

/** The number of requests that are sent at once. */
const AT_ONCE = 50;

/** Creates items as fast as one connection accepts them. */
export async function fill(port: number, rows: number, padding = ''): Promise<void> {
  const client = await RawClient.connect(port);
  for (let sent = 0; sent < rows; sent += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, rows - sent) }, (_, i) => sent + i + 1);
    client.send(numbers.map((number) => createRequest({ body: item(number, padding) })).join(''));
    const responses = await client.take(numbers.length);
    for (const { status, text } of responses) assert.equal(status, 201, text);
    assert.equal(responses.length, numbers.length, 'the service has ended the connection');
  }
  client.destroy();
}

function item(number: number, padding: string): string {
  const description = `the description of number ${number}, of some length${padding}`;
  return JSON.stringify({ title: `todo number ${number}`, description });
}
