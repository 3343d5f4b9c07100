import type { Config } from '../lib/config/index.ts';
import type { Request } from '../lib/http/index.ts';
import type { KnownPaths } from './admin/request-scope.ts';
import { adminAccess } from './admin/token.ts';
import { FaultFeature } from './faults/fault-routes.ts';
import { faultList } from './faults/fault-rules.ts';
import type { Feature } from './feature.ts';
import { JournalFeature } from './journal/journal-routes.ts';
import { readInput } from './resource/request-content.ts';
import { ITEM_SETTINGS } from './settings/service-settings.ts';

/** How test suites control the service, besides its lists: the token, the journal, faults. */
export interface SuiteControl {
  readonly access: ReturnType<typeof adminAccess>;
  readonly faults: FaultFeature;
  readonly journals: JournalFeature;
  /** The paths of the service, for the shapes of faults and filters. */
  readonly paths: KnownPaths;
  /** In the order in which requests pass them; undefined for a part that is off. */
  readonly features: readonly (Feature | undefined)[];
  /** Whether a fault may respond to a request without a route. */
  readonly mayBeServed: (request: Request) => boolean;
}

/**
 * Creates the control. The journal and faults are for test suites that have the token, or run the
 * service in their process; faults are also on if a setting has some.
 * @throws InvalidInputError of `FAULTS`, ConfigError if the token is invalid
 */
export function suiteControl(
  config: Config,
  paths: KnownPaths,
  isInProcess: boolean,
): SuiteControl {
  const given = config.of(ITEM_SETTINGS).faults;
  const initial = readInput(faultList(paths), given, `${config.nameOf('faults')} is invalid`);
  const access = adminAccess(config);
  const isControlled = isInProcess || access !== undefined;
  const hasFaults = isControlled || initial.length > 0;
  const journals = new JournalFeature(paths);
  const faults = new FaultFeature(paths, initial);
  return {
    access,
    faults,
    journals,
    paths,
    features: [access, isControlled ? journals : undefined, hasFaults ? faults : undefined],
    mayBeServed: (request) => hasFaults && faults.mayRespond(request),
  };
}
