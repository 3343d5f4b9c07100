import type { Answer, LongAnswer } from './answer.ts';
import type { JsonObject } from './json.ts';
import type { Query } from './query.ts';
import type { Pattern } from './router.ts';

/** A request as an operation sees it: checked, routed and, where the route takes one, with its body parsed. */
export interface Request {
  /** What stood in place of the path's parameters, in order, exactly as it was sent. */
  readonly params: readonly string[];
  readonly query: Query;
  /** The JSON object that was sent; empty where the route takes no body. */
  readonly body: JsonObject;
}

/** One operation: where it is reached, whether it takes a JSON body, and what it does. */
export interface ShortRoute extends Pattern {
  readonly isLong?: false;
  readonly takesBody?: boolean;
  /** @throws Problem to answer with an error; anything else that is thrown is a fault, answered with 500. */
  readonly handle: (request: Request) => Answer;
}

/** An operation that can be long work: it may have to wait for its turn, and its answer may come in slices. */
export interface LongRoute extends Omit<ShortRoute, 'isLong' | 'handle'> {
  readonly isLong: true;
  readonly handle: (request: Request) => LongAnswer;
}

/** An operation of a server. */
export type Route = ShortRoute | LongRoute;
