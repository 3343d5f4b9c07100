import type { Interceptor, Request, RequestHead } from '../messages/request.ts';
import type { Response } from '../messages/response.ts';
import type { Site } from '../routing/router.ts';

/** What a feature does on the way of each request, in their order. All are optional. */
export interface RequestHooks {
  /** Refuses a request, also one for an unknown path, before its content is read. @throws Problem */
  readonly authorize?: ((request: Request) => void) | undefined;
  /** Sees each request that has arrived, or was refused. It may observe the response and the end. */
  readonly observe?: ((request: Request) => void) | undefined;
  /** Responds to a request in place of its handler. */
  readonly intercept?: Interceptor | undefined;
  /** Whether `intercept` may respond to a request without a route, so that its content is read. */
  readonly mayIntercept?: ((request: Request) => boolean) | undefined;
  /** Responds to a refused request, such as a preflight of an unknown path. */
  readonly grantPreflight?: ((request: Request) => Response | undefined) | undefined;
  /** Returns the response to send. Called in the reverse order of the features. */
  readonly transformResponse?: ((response: Response, request: Request) => Response) | undefined;
}

/** The service behind a server. */
export interface Service {
  /** Returns the site of a request that is due. */
  readonly siteOf: (request: RequestHead) => Site;
  /** The hooks of its features, in order. */
  readonly hooks?: readonly RequestHooks[];
  /**
   * Returns the end of the error sentence for an unknown path without a similar route.
   * @throws Problem to respond with instead
   */
  readonly pathHint?: ((request: Request) => string) | undefined;
}
