import { Problem } from '../../../../src/lib/http/core/problem.ts';
import type { Request, Route } from '../../../../src/lib/http/core/request.ts';
import type { Response, StreamedContent } from '../../../../src/lib/http/core/response.ts';
import { pathOf, Query, queryOf } from '../../../../src/lib/http/core/target.ts';
import { Router } from '../../../../src/lib/http/routing/router.ts';
import { runToEnd } from '../../../../src/lib/steps.ts';
import { Answer, type RequestOptions } from '../../../support/requests.ts';

/** Responds to requests like the server, but without HTTP: with the routes and nothing else. */
export class Exchanges {
  readonly #router: Router;
  lastNumber = 0;

  constructor(routes: readonly Route[]) {
    this.#router = new Router(routes);
  }

  /** The response; live content is not in its text. */
  async answer(
    method: string,
    target: string,
    { headers = {}, body = '' }: RequestOptions,
  ): Promise<{ readonly answer: Answer; readonly live: StreamedContent | undefined }> {
    const number = ++this.lastNumber;
    const path = pathOf(target);
    const query = queryOf(target, path);
    try {
      const match = this.#router.find(method, path);
      if (match === undefined) throw new Problem('unknown-path', `No resource has ${path}`);
      const { endpoint, params } = match;
      const route = endpoint.route(method);
      if (route === undefined) throw endpoint.methodNotAllowed(method);
      const content = Buffer.from(body);
      const ofTarget = { target, path, localPath: path, query, params };
      const request = { ...NOTHING, ...ofTarget, number, method, headers, content, route };
      return answerOf(await route.handle(request));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return answerOf(error.toResponse(path));
    }
  }
}

/** What no request of a simulation has, or what is the same for all. */
const NOTHING: Omit<Request, 'number' | 'method' | 'target' | 'path' | 'localPath' | 'headers'> = {
  query: Query.EMPTY,
  template: undefined,
  route: undefined,
  rawHeaders: [],
  params: [],
  content: Buffer.alloc(0),
  refusal: undefined,
  id: '',
  knownId: undefined,
  traceId: undefined,
  clientAddress: undefined,
  isDisconnected: false,
  receivedAt: 0,
  run: runToEnd,
  wait: () => Promise.resolve(),
  onEnd: () => {},
};

function answerOf(response: Response): {
  readonly answer: Answer;
  readonly live: StreamedContent | undefined;
} {
  const { status, headers = {}, content } = response;
  const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const live = typeof content === 'function' ? content : undefined;
  const whole = String(live ? '' : (content ?? ''));
  const text = Buffer.from(whole, 'latin1').toString('utf8');
  return { answer: new Answer(status, Object.fromEntries(fields), text), live };
}
