import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedExchange } from '../../support/checked-client.ts';
import { freePorts } from '../../support/ports.ts';
import { HERE } from './documents.ts';

/** A violation that Prism reports for a request or a response. */
export interface PrismViolation {
  readonly location: readonly string[];
  readonly severity: string;
  readonly code: string;
  readonly message: string;
}

/** The field with which a request selects one of the recorded responses. */
const INDEX = 'x-exchange';

/** Fields that belong to a connection, not to a recorded response. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'];

/** How long Prism may take to start, in milliseconds. */
const PATIENCE_MS = 60_000;

/** How many requests to send to Prism at a time. */
const CONCURRENCY = 8;

/**
 * Passes recorded responses through Prism as a validating proxy. Each is the response to a valid
 * request for the same operation, because Prism crashes on some of the requests that tests send.
 * @returns the violations that Prism reports for each response
 */
export async function judge(
  test: TestContext,
  file: string,
  exchanges: readonly RecordedExchange[],
): Promise<readonly (readonly PrismViolation[])[]> {
  const upstream = await listening(test, replaying(exchanges));
  const port = await startPrism(test, file, upstream);
  const findings: (readonly PrismViolation[])[] = [];
  const rest = exchanges.entries();
  const work = async () => {
    for (const [index, exchange] of rest) findings[index] = await judgeOne(port, index, exchange);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return findings;
}

async function judgeOne(
  port: number,
  index: number,
  exchange: RecordedExchange,
): Promise<readonly PrismViolation[]> {
  const { headers } = await send(port, index, exchange);
  assert.equal(headers[INDEX], String(index), 'the response is the recorded one');
  const { 'sl-violations': violations = '[]' } = headers;
  const found: PrismViolation[] = JSON.parse(String(violations));
  return found.filter(({ location }) => location[0] === 'response');
}

function replaying(exchanges: readonly RecordedExchange[]): Server {
  return createServer((request, response) => {
    const index = request.headers[INDEX];
    const exchange = exchanges[Number(index)];
    if (index === undefined || exchange === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { status, headers, text } = exchange;
    response.statusCode = status;
    response.setHeader(INDEX, index);
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined && !OF_CONNECTION.includes(name)) response.setHeader(name, value);
    }
    response.end(text);
  });
}

async function listening(test: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  return address.port;
}

/** Starts Prism, and stops it when the test ends. */
async function startPrism(test: TestContext, file: string, upstream: number): Promise<number> {
  const [port = 0] = await freePorts(1);
  const args = ['proxy', file, `http://127.0.0.1:${upstream}`, '--port', String(port)];
  const options = ['--host', '127.0.0.1', '--cors', 'false', '--verboseLevel', 'fatal'];
  const prism = spawn(process.execPath, [`${HERE}node_modules/.bin/prism`, ...args, ...options], {
    stdio: 'inherit',
  });
  test.after(() => prism.kill('SIGKILL'));
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
    assert.equal(prism.exitCode, null, 'Prism runs');
    if (await answers(port)) return port;
  }
  return assert.fail('Prism did not start in time');
}

async function answers(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/nothing`);
    return true;
  } catch {
    return false;
  }
}

/** Sends a request for the same operation, and waits for the end of the response. */
function send(
  port: number,
  index: number,
  { method, template = '' }: RecordedExchange,
): Promise<IncomingMessage> {
  const path = template.replaceAll(/\{\w+\}/g, '1');
  const hasContent = ['POST', 'PUT', 'PATCH'].includes(method);
  const headers = {
    [INDEX]: String(index),
    ...(hasContent ? { 'content-type': 'application/json' } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      response.resume().on('end', () => resolve(response));
    });
    sent.on('error', reject).end(hasContent ? '{"title":"x"}' : '');
  });
}
