import type { Handler } from '../core/handler.ts';

/** A handler, and the requests it serves. */
export interface Route {
  readonly method: string;
  /** `{name}` matches exactly one segment. */
  readonly path: string;
  /**
   * The media types of the content it accepts, possibly `application/*+json`. If absent, content is
   * read and ignored.
   */
  readonly accepts?: readonly string[] | undefined;
  /** Whether content of these types may be absent. */
  readonly isContentOptional?: boolean | undefined;
  /** The maximum bytes of content, if that is not what it is everywhere else. */
  readonly maxContentBytes?: number | undefined;
  /** The media types that `Accept` must allow one of; none if it does not matter. */
  readonly produces: readonly string[];
  readonly handle: Handler;
}
