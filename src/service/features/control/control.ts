import { isMisdirected, type Middleware, type Request } from '../../../lib/http/index.ts';
import type { Resets } from '../../todo/reset.ts';
import { isExempt } from '../exempt-paths.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';
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
  readonly journal: Journal;
  readonly cutStreams: () => void;
  readonly #eventsPath: string;

  constructor({ resets, eventsPath, cutStreams, ...paths }: ControlledParts) {
    this.resets = resets;
    this.cutStreams = cutStreams;
    this.#eventsPath = eventsPath;
    this.faults = new Faults(paths, (request) => this.#checkReset(request));
    this.journal = new Journal(paths);
    resets.onReset(() => {
      this.faults.set([]);
      this.journal.clear();
    });
  }

  /** Refuses requests from before the last reset. Records the rest, and applies faults. */
  readonly middleware: Middleware = (next) => {
    const withFaults = this.faults.middleware(next);
    const recorded = this.journal.middleware((request) =>
      (isMisdirected(request) ? next : withFaults)(request),
    );
    return (request) => {
      if (isExempt(request.localPath)) return next(request);
      this.#checkReset(request);
      return recorded(request);
    };
  };

  /** Ends all delays and waits. */
  stop(): void {
    this.faults.stop();
    this.journal.waits.end();
  }

  #checkReset(request: Request): void {
    if (request.template !== this.#eventsPath) this.resets.check(request);
  }
}
