import {
  type Handler,
  isMisdirected,
  type Middleware,
  type Request,
} from '../../../lib/http/index.ts';
import type { Resets } from '../../todo/reset.ts';
import { isExempt } from '../exempt-paths.ts';
import { type FaultMembers, faultMembers } from './fault-members.ts';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';
import type { KnownPaths } from './known-paths.ts';

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
  readonly paths: KnownPaths;
  readonly resets: Resets;
  readonly faultMembers: FaultMembers;
  readonly faults: Faults;
  readonly journal = new Journal();
  readonly cutStreams: () => void;
  readonly #eventsPath: string;

  constructor({ resets, eventsPath, cutStreams, ...paths }: ControlledParts) {
    this.paths = paths;
    this.resets = resets;
    this.cutStreams = cutStreams;
    this.#eventsPath = eventsPath;
    this.faultMembers = faultMembers(paths);
    this.faults = new Faults(this.faultMembers, (request) => this.#checkReset(request));
    resets.onReset(() => {
      this.faults.set([]);
      this.journal.clear();
    });
  }

  /** Refuses requests from before the last reset, records the others, and applies faults. */
  readonly middleware: Middleware = (next) => {
    const withFaults = this.faults.middleware(next);
    const tested = this.journal.middleware((request) =>
      (isMisdirected(request) ? next : withFaults)(request),
    );
    const checked: Handler = (request) => {
      this.#checkReset(request);
      return tested(request);
    };
    return (request) => (isExempt(request.localPath) ? next : checked)(request);
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
