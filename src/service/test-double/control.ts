import type { Middleware, Request } from '../../lib/http/index.ts';
import { isExempt } from '../exempt-paths.ts';
import { readInput } from '../resource/content.ts';
import type { Fault } from './fault.ts';
import { faultList } from './fault-shape.ts';
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
  #initial: readonly Fault[] = [];

  constructor({ resets, eventsPath, cutStreams, ...paths }: ControlledParts) {
    this.resets = resets;
    this.cutStreams = cutStreams;
    this.paths = paths;
    this.#eventsPath = eventsPath;
    this.faults = new Faults((request) => this.#checkReset(request));
    resets.onReset(() => {
      this.faults.set(this.#initial);
      this.journal.clear();
    });
  }

  /** Sets the faults of the start and after each reset. @throws InvalidInputError */
  startWith(faults: readonly unknown[], setting: string): void {
    this.#initial = readInput(faultList(this.paths), faults, `${setting} is invalid`);
    this.faults.set(this.#initial);
  }

  /** Refuses requests from before the last reset, may record the rest, and applies faults. */
  middleware(isRecording: boolean): readonly Middleware[] {
    const resetCheck: Middleware = (next) => (request) => {
      if (!isExempt(request.localPath)) this.#checkReset(request);
      return next(request);
    };
    const recording = isRecording ? [this.journal.middleware] : [];
    return [resetCheck, ...recording, this.faults.middleware];
  }

  /** Ends all injected delays and all waits for requests. */
  stop(): void {
    this.faults.stop();
    this.journal.waits.end();
  }

  #checkReset(request: Request): void {
    if (request.template !== this.#eventsPath) this.resets.check(request);
  }
}
