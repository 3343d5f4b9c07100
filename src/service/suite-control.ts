import type { Config } from '../lib/config/index.ts';
import { adminAccess } from './admin/token.ts';
import { type FaultInjection, faultInjection } from './faults/fault-routes.ts';
import { faultList } from './faults/fault-rules.ts';
import type { FaultTargets } from './faults/item-edits.ts';
import type { Feature } from './feature.ts';
import { journal } from './journal/journal-routes.ts';
import { readInput } from './resource/request-content.ts';
import { ITEM_SETTINGS } from './settings/service-settings.ts';

/** The controls for test suites, except that of lists. A part that is off is undefined. */
export interface SuiteControl {
  /** Requires the token below `/admin`. */
  readonly access: ReturnType<typeof adminAccess>;
  readonly journal: Feature | undefined;
  readonly faults: FaultInjection | undefined;
}

/** Options of the control, besides the settings. */
export interface SuiteOptions {
  /** Whether the program that runs the service in its process uses its `control`. */
  readonly isInProcess?: boolean;
  /** The admin token that was made for this run, if no setting has one. */
  readonly tokenOfRun?: string | undefined;
}

/**
 * Creates the parts with which test suites control the service. The journal and faults are on with
 * a token, or if a program runs the service and uses its `control`. Faults are also on if a setting
 * has some.
 * @throws InvalidInputError of `FAULTS`, ConfigError if the token is invalid
 */
export function suiteControl(
  config: Config,
  targets: FaultTargets,
  { isInProcess = false, tokenOfRun }: SuiteOptions,
): SuiteControl {
  const given = config.of(ITEM_SETTINGS).faults;
  const initial = readInput(faultList(targets), given, `${config.nameOf('faults')} is invalid`);
  const access = adminAccess(config, tokenOfRun);
  const isControlled = isInProcess || access !== undefined;
  const hasFaults = isControlled || initial.length > 0;
  return {
    access,
    journal: isControlled ? journal(targets) : undefined,
    faults: hasFaults ? faultInjection(targets, initial) : undefined,
  };
}
