import type { Handler } from '../core/handler.ts';

/** A handler, and where it is reached. */
export interface Route {
  readonly method: string;
  /** `{name}` stands for exactly one segment. */
  readonly path: string;
  /**
   * The media types of the content it takes, `application/*+json` among them; without any, content
   * is read and ignored.
   */
  readonly accepts?: readonly string[] | undefined;
  /** The media types that a response can have; without any, responses have no content. */
  readonly produces: readonly string[];
  readonly handle: Handler;
}
