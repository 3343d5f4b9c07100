import {
  type AcceptedContent,
  IF_MATCH_PATTERN,
  type Request,
  type Route,
} from '../lib/http/index.ts';
import type { JsonSchema, NamedSchema } from '../lib/json/index.ts';

/** A parameter of a path or query string, or a header field, as described in the API document. */
export interface ParameterDescription {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly schema: JsonSchema | NamedSchema;
  readonly example?: unknown;
}

/** Describes a parameter of a query string. */
export function queryParameter(
  name: string,
  description: string,
  schema: JsonSchema | NamedSchema,
  example: unknown,
): ParameterDescription {
  return { name, in: 'query', description, schema, example };
}

/** An input of a request, such as an id: its description, and how to parse it. */
export interface Argument<T> {
  readonly parameters: readonly ParameterDescription[];
  /** Reads the input from a request. @throws Problem */
  readonly readFrom: (request: Request) => T;
}

/** The content of a request: its description, and how to parse it. */
export interface RequestContent<T> extends AcceptedContent, Omit<Argument<T>, 'parameters'> {
  readonly schema: NamedSchema;
  /** By title. */
  readonly examples: Readonly<Record<string, unknown>>;
}

export const NO_STORE_FIELD: FieldDescriptions = { 'Cache-Control': 'Not to be stored.' };

/** Descriptions of header fields by name. */
export type FieldDescriptions = Readonly<Record<string, string>>;

/** A response other than a problem. */
export interface ResponseDescription {
  readonly description: string;
  /** The schemas of the media types that `Accept` can select; absent if there is no content. */
  readonly content?: Readonly<Record<string, JsonSchema | NamedSchema>>;
  readonly headers?: FieldDescriptions;
}

/** A group of operations in the API document. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

export const ABOUT: Tag = { name: 'About', description: 'About the service.' };

export const OPERATIONS: Tag = {
  name: 'Operations',
  description: 'Health and metrics, for operators.',
};

/** The description of a route in the API document, from which the rest of the route is derived. */
export interface Operation extends Pick<Route, 'handle' | 'checkBeforeContent'> {
  /** The name of the operation for code generators. */
  readonly id: string;
  readonly summary: string;
  /** Details beyond the summary, in complete sentences. */
  readonly description: string;
  readonly tag: Tag;
  readonly needsToken?: boolean;
  /** Whether it is about the process, and so exists at the base path only, not for each list. */
  readonly isAtBaseOnly?: boolean;
  /** The inputs that it reads, except the content. */
  readonly arguments?: readonly Argument<unknown>[];
  readonly content?: RequestContent<unknown>;
  /** Ignores `Accept`, because some tools send only the media types of their errors. */
  readonly ignoresAccept?: boolean;
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /**
   * The statuses of errors that a client has to expect, besides those that follow from the token,
   * the arguments and the content. All other errors are the response `default`.
   */
  readonly errors?: readonly (404 | 409 | 412 | 507)[];
}

/** A route described in the API document. */
export interface DescribedRoute extends Route {
  readonly operation: Operation;
}

/** Creates the route of an operation, with the media types of its description. */
export function describedRoute(method: string, path: string, operation: Operation): DescribedRoute {
  const { handle, checkBeforeContent, content, responses, ignoresAccept } = operation;
  // Whoever has the token is no attacker, and has to be able to reset the service under an attack.
  const isOneByOne = operation.needsToken;
  const types = Object.values(responses).flatMap((response) => Object.keys(response.content ?? {}));
  const produces = ignoresAccept ? [] : [...new Set(types)];
  return {
    ...{ method, path, handle, checkBeforeContent, isOneByOne },
    ...{ operation, content, produces },
  };
}

/** The conditions of a read request, which the server checks. */
export const readPreconditions = conditions('the response is 304');

/** The conditions of a write request, which its handler checks within its transaction. */
export const writePreconditions = conditions('the response is 412');

function conditions(otherwise: string): Argument<void> {
  return {
    parameters: [
      {
        name: 'If-Match',
        in: 'header',
        description:
          'Entity tags, separated by commas, or `*` for any. Unless one of them is current ' +
          '(strong comparison), the response is 412.',
        schema: { type: 'string', pattern: IF_MATCH_PATTERN },
        example: '*',
      },
      {
        name: 'If-None-Match',
        in: 'header',
        description: `Entity tags, separated by commas, or \`*\`. If one is current, ${otherwise}.`,
        // Without a pattern, because an invalid field is ignored.
        schema: { type: 'string' },
        example: '"xyzzy"',
      },
    ],
    readFrom: () => undefined,
  };
}
