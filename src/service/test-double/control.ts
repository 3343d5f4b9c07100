import type { Middleware, Request } from '../../lib/http/index.ts';
import { isExempt } from '../exempt-paths.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';
import type { Resets } from './reset.ts';
import type { KnownPaths } from './scope.ts';

/** The parts of a service that test suites control. */
interface ControlledParts extends KnownPaths {
  readonly resets: Resets;
  /** The path of the event stream, whose requests a reset does not refuse. */
  readonly eventsPath: string;
  /** Ends all open event streams. */
  readonly cutStreams: () => void;
}

/** Controls a service for test suites: resets, faults, journal and event streams. */
export class TestControl {
  readonly resets: Resets;
  readonly faults: Faults;
  readonly journal = new Journal();
  readonly cutStreams: () => void;
  /** The paths of the service, for the shapes of faults and filters. */
  readonly paths: KnownPaths;
  readonly #eventsPath: string;

  constructor({ resets, eventsPath, cutStreams, basePath, routes }: ControlledParts) {
    this.resets = resets;
    this.cutStreams = cutStreams;
    this.paths = { basePath, routes };
    this.#eventsPath = eventsPath;
    this.faults = new Faults((request) => this.#checkReset(request));
    resets.onReset(() => {
      this.faults.set([]);
      this.journal.clear();
    });
  }

  /** Refuses requests from before the last reset, records the rest, and applies faults. */
  get middleware(): readonly Middleware[] {
    const resetCheck: Middleware = (next) => (request) => {
      if (!isExempt(request.localPath)) this.#checkReset(request);
      return next(request);
    };
    return [resetCheck, this.journal.middleware, this.faults.middleware];
  }

  /** Ends all delays and waits. */
  stop(): void {
    this.faults.stop();
    this.journal.waits.end();
  }

  #checkReset(request: Request): void {
    if (request.template !== this.#eventsPath) this.resets.check(request);
  }
}
