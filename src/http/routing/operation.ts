import type { JsonSchema, NamedSchema } from '../../json/schema.ts';
import type { Problem, ProblemCode } from '../core/problem.ts';
import type { Request } from '../core/request.ts';
import type { FieldDescriptions } from './response-fields.ts';
import type { Route } from './route.ts';

/** A parameter of a path or a query string, or a header field, as the API's document has it. */
export interface ParameterDescription {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** A part of a request: how it is described, and how it is read. */
export interface Argument<T> {
  readonly parameters: readonly ParameterDescription[];
  /** What a request gets in which this part is wrong. */
  readonly problems: readonly ProblemCode[];
  /** @throws Problem with one of these codes */
  readonly of: (request: Request) => T;
}

/** The content of a request: how it is described, and how it is read. */
export interface RequestContent<T> {
  /** `application/*+json` stands for all types with that suffix. */
  readonly mediaTypes: readonly string[];
  readonly schema: NamedSchema;
  /** By what they show. */
  readonly examples: Readonly<Record<string, unknown>>;
  readonly problems: readonly ProblemCode[];
  /** What a request gets whose content is wrong, for the example of a target. */
  readonly problemExamples?: readonly Problem[];
  /** @throws Problem with one of these codes */
  readonly of: (request: Request) => T;
}

/** A response that is no problem. */
export interface ResponseDescription {
  readonly description: string;
  /** None where the response has no content. */
  readonly mediaType?: string;
  readonly schema?: JsonSchema | NamedSchema;
  readonly example?: unknown;
  /** Other media types it can have, of which `Accept` decides, with their schemas. */
  readonly alternatives?: Readonly<Record<string, JsonSchema>>;
  readonly headers?: FieldDescriptions;
}

/** What operations belong to, as the API's document groups them. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** The service itself. */
export const ABOUT: Tag = { name: 'About', description: 'About the service.' };

/** What is for those who run the service. */
export const OPERATIONS: Tag = {
  name: 'Operations',
  description: 'Health and metrics, for operators.',
};

/** What the API's document says of a route, from which the rest of the route follows. */
export interface Operation {
  /** The operation's name, for whoever generates code. */
  readonly id: string;
  readonly summary: string;
  /** What the summary leaves open, in whole sentences. */
  readonly description: string;
  readonly tag: Tag;
  /** Only who has the admin token may use it. */
  readonly needsToken?: boolean;
  /** The parts of the request that it reads, its content aside. */
  readonly arguments?: readonly Argument<unknown>[];
  readonly content?: RequestContent<unknown>;
  /** By status. */
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** Those that follow neither from its arguments and content nor from HTTP. */
  readonly problems?: readonly ProblemCode[];
  /** Some of them, as they are for the example of a target. */
  readonly problemExamples?: readonly Problem[];
}

/** A route that the API's document describes. */
export interface DescribedRoute extends Route {
  readonly operation: Operation;
}

/**
 * Makes the route of an operation: what it accepts and produces is derived from its description.
 */
export function describedRoute({
  operation,
  ...route
}: Pick<Route, 'method' | 'path' | 'handle'> & {
  readonly operation: Operation;
}): DescribedRoute {
  const produces = Object.values(operation.responses).flatMap(({ mediaType, alternatives = {} }) =>
    [mediaType ?? [], Object.keys(alternatives)].flat(),
  );
  return {
    ...route,
    operation,
    accepts: operation.content?.mediaTypes,
    produces: [...new Set(produces)],
  };
}
