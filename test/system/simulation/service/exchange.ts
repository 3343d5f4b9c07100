import { Problem } from '../../../../src/lib/http/messages/problem.ts';
import type { Request } from '../../../../src/lib/http/messages/request.ts';
import type {
  Content,
  Response,
  StreamedContent,
  StreamWriter,
} from '../../../../src/lib/http/messages/response.ts';
import { pathOf, Query, queryOf } from '../../../../src/lib/http/messages/target.ts';
import { runToEnd } from '../../../../src/lib/steps.ts';
import { fullProblem } from '../../../../src/service/store/full-store.ts';
import type { Place } from '../../../../src/service/todo/todo-list.ts';
import { Answer, type RequestOptions } from '../../../support/requests.ts';

/** Responds to requests like the server, but without HTTP: with the routes and nothing else. */
export class Exchanges {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Sends a request, and reads the whole content of its response. */
  async answer(method: string, target: string, options: RequestOptions): Promise<Answer> {
    return await answerOf(await this.#respond(method, target, options));
  }

  /** Opens an event stream; or returns the response, if it is another one. */
  async open(target: string, options: RequestOptions): Promise<StreamedContent | Answer> {
    const response = await this.#respond('GET', target, options);
    return typeof response.content === 'function' ? response.content : await answerOf(response);
  }

  async #respond(
    method: string,
    target: string,
    { headers = {}, body = '' }: RequestOptions,
  ): Promise<Response> {
    const path = pathOf(target);
    const query = queryOf(target, path);
    try {
      const site = this.#place.siteOf(path);
      const pathRoutes = site.routeSet.router.find(method, path);
      if (pathRoutes === undefined) throw new Problem('unknown-path', `No resource has ${path}`);
      const route = pathRoutes.route(method);
      if (route === undefined) throw pathRoutes.methodNotAllowed(method);
      const content = Buffer.from(body);
      const parameter = pathRoutes.parameterOf(path);
      const ofTarget = { target, path, site, localPath: path, query, parameter };
      const request = { ...NOTHING, ...ofTarget, method, headers, content, route };
      return await route.handle(request);
    } catch (error) {
      const problem = fullProblem(error) ?? error;
      if (!(problem instanceof Problem)) throw error;
      return problem.toResponse(path);
    }
  }
}

/** Members of a request that are absent, or the same in all requests. */
const NOTHING: Omit<
  Request,
  'number' | 'method' | 'target' | 'path' | 'site' | 'localPath' | 'headers'
> = {
  query: Query.EMPTY,
  template: undefined,
  route: undefined,
  rawHeaders: [],
  parameter: '',
  content: Buffer.alloc(0),
  refusal: undefined,
  host: undefined,
  id: '',
  knownId: undefined,
  traceId: undefined,
  clientAddress: undefined,
  isDisconnected: false,
  isHalfClosed: false,
  receivedAt: 0,
  run: async (steps) => runToEnd(steps),
  wait: () => Promise.resolve(),
  onEnd: () => {},
};

async function answerOf({ status, headers = {}, content }: Response): Promise<Answer> {
  const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const text = (await bytesOf(content)).toString('utf8');
  return new Answer(status, Object.fromEntries(fields), text);
}

/** Reads content to its end, as a client that always reads. */
async function bytesOf(content: Content = Buffer.alloc(0)): Promise<Buffer> {
  if (typeof content === 'string') return Buffer.from(content, 'latin1');
  if (typeof content === 'function') return Buffer.from(await read(content), 'latin1');
  if (Buffer.isBuffer(content)) return content;
  const parts = [Buffer.from(content.part)];
  while (!content.isLast) {
    runToEnd(content);
    parts.push(Buffer.from(content.part));
  }
  return Buffer.concat(parts);
}

/** Reads live content. */
function read(content: StreamedContent): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const writer: StreamWriter = {
      isDrained: true,
      write: (part) => {
        text += part;
      },
      end: () => resolve(text),
      disconnect: () => reject(new Error('the content was cut')),
      on: () => {},
    };
    content(writer);
  });
}
