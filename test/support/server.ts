import type { TestContext } from 'node:test';
import { clock } from '../../src/lib/clock.ts';
import { PERMIT_BYTES, PLACE_BYTES } from '../../src/lib/http/admission/admission.ts';
import type { Route } from '../../src/lib/http/messages/request.ts';
import { Router } from '../../src/lib/http/routing/router.ts';
import type { HttpSettings } from '../../src/lib/http/server/http-settings.ts';
import { HttpServer } from '../../src/lib/http/server/server.ts';
import type { RequestHooks } from '../../src/lib/http/server/service.ts';
import { NOT_YET } from '../../src/lib/steps.ts';
import { PROBLEM_TYPE_PREFIX } from '../../src/service/problem-types.ts';

/** A server with a test's own routes. */
export interface RunningServer {
  readonly server: HttpServer;
  readonly port: number;
  /** The errors reported so far. */
  readonly errors: unknown[];
}

/** Makes a server serve routes at all paths. */
export function serveRoutes(
  server: HttpServer,
  routes: readonly Route[],
  ...hooks: readonly RequestHooks[]
): void {
  const site = { basePath: '', router: new Router(routes) };
  server.serve({ hooks, siteOf: () => site });
}

/** Starts a server; the caller stops it. */
export async function startServer(
  routes: readonly Route[],
  settings: Partial<HttpSettings> = {},
  ...hooks: readonly RequestHooks[]
): Promise<RunningServer> {
  const errors: unknown[] = [];
  const onUnexpectedError = (error: unknown) => errors.push(error);
  const server = new HttpServer({ settings, problemTypes: PROBLEM_TYPE_PREFIX, onUnexpectedError });
  serveRoutes(server, routes, ...hooks);
  const { port } = await server.listen(0, '127.0.0.1');
  return { server, port, errors };
}

/** Starts a server that stops when its test ends. */
export async function serverFor(
  test: TestContext,
  routes: readonly Route[],
  settings: Partial<HttpSettings> = {},
  ...hooks: readonly RequestHooks[]
): Promise<RunningServer> {
  const running = await startServer(routes, settings, ...hooks);
  test.after(() => running.server.drain(0));
  return running;
}

/** The memory for which the permits and places stand that requests have taken, in bytes. */
export function takenBytes({ admission }: HttpServer): number {
  return admission.takenPermits * PERMIT_BYTES + admission.takenPlaces * PLACE_BYTES;
}

/** The tasks that fill the queue of long work. Each takes more than a turn of the event loop has. */
export const TASKS = 30;
const TASK_MS = 3;

/** Fills the queue of long work until a test ends, so that a task waits for many turns. */
export function fillQueue(test: TestContext, { scheduler }: HttpServer): void {
  let hasEnded = false;
  test.after(() => {
    hasEnded = true;
  });
  const next = () => {
    const end = clock.now() + TASK_MS;
    while (clock.now() < end);
    return hasEnded ? ({ done: true, value: undefined } as const) : NOT_YET;
  };
  for (let i = 0; i < TASKS; i++) void scheduler.run<void>({ next });
}
