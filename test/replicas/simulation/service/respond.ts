import { Problem } from '../../../../src/lib/http/messages/problem.ts';
import type { Request } from '../../../../src/lib/http/messages/request.ts';
import type { Content, Response } from '../../../../src/lib/http/messages/response.ts';
import { pathOf, queryOf } from '../../../../src/lib/http/messages/target.ts';
import { runToEnd } from '../../../../src/lib/steps.ts';
import type { App } from '../../../../src/service/app.ts';
import { Faults } from '../../../../src/service/faults/faults.ts';
import { storeFullProblem } from '../../../../src/service/store/store-full.ts';
import { Answer, type RequestOptions } from '../../../support/requests.ts';

/** Responds to a request like the server, but without HTTP: with faults and routes alone. */
export async function respond(
  app: App,
  method: string,
  target: string,
  { headers = {}, body = '' }: RequestOptions,
): Promise<Response> {
  const path = pathOf(target);
  try {
    const site = app.siteOf({ method, path, headers });
    const pathRoutes = site.router.find(method, path);
    if (pathRoutes === undefined) throw new Problem('unknown-path', `No resource has ${path}`);
    const route = pathRoutes.route(method);
    if (route === undefined) throw pathRoutes.methodNotAllowed(method);
    const request: Request = {
      ...{ method, target, path, site, localPath: path, query: queryOf(target), headers },
      ...{ route, template: pathRoutes.path, parameter: pathRoutes.parameterOf(path) },
      ...{ content: Buffer.from(body), rawHeaders: [], host: undefined, refusal: undefined },
      ...{ id: '', knownId: undefined, traceId: undefined, clientAddress: undefined },
      ...{ isDisconnected: false, isHalfClosed: false, receivedAt: 0, ignoresIfNoneMatch: false },
      run: async (steps) => runToEnd(steps),
      runLong: async (make) => {
        const work = make();
        runToEnd(work);
        return work;
      },
      wait: () => Promise.resolve(),
      onResponse: () => {},
      onEnd: () => {},
    };
    const faults = site.list.feature(Faults);
    const handle = async () => route.handle(request);
    return await (faults.interceptorFor(request, path)?.(handle) ?? handle());
  } catch (error) {
    const problem = storeFullProblem(error) ?? error;
    if (!(problem instanceof Problem)) throw error;
    return problem.toResponse(path);
  }
}

/** Reads the whole content of a response, which is not streamed. */
export function answerOf({ status, headers = {}, content = Buffer.alloc(0) }: Response): Answer {
  const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return new Answer(status, Object.fromEntries(fields), bytesOf(content).toString('utf8'));
}

function bytesOf(content: Content): Buffer {
  if (typeof content === 'string') return Buffer.from(content, 'latin1');
  if (typeof content === 'function') throw new TypeError('the content is a stream');
  if (Buffer.isBuffer(content)) return content;
  const parts = [Buffer.from(content.part)];
  while (!content.isLast) {
    runToEnd(content);
    parts.push(Buffer.from(content.part));
  }
  return Buffer.concat(parts);
}
