import type { Config } from '../lib/config/index.ts';
import type { Masks } from '../lib/masks.ts';
import type { KnownPaths } from './admin/request-matching.ts';
import { adminAccess } from './admin/token.ts';
import { faultInjection } from './faults/fault-routes.ts';
import { faultList } from './faults/fault-rules.ts';
import type { Feature } from './feature.ts';
import { journal } from './journal/journal-routes.ts';
import { HEAP_BUDGET } from './memory-plan.ts';
import { readInput } from './resource/request-content.ts';
import { ITEM_SETTINGS } from './settings/service-settings.ts';

/** The features for test suites, except lists. One that is off is undefined. */
export interface TestFeatures {
  /** Requires the token below `/admin`. */
  readonly access: Feature | undefined;
  readonly journal: Feature | undefined;
  readonly faults: Feature | undefined;
}

/** Options of these features, besides the settings. */
export interface TestFeatureOptions {
  /** Whether a program runs the service in its process, and uses `App.control`. */
  readonly isInProcess?: boolean;
  /** Overrides the memory for the faults of all lists, for tests. */
  readonly faultBytes?: number;
  /** The admin token that was made for this run, if no setting has one. */
  readonly tokenOfRun?: string | undefined;
}

/**
 * Creates the features with which test suites control the service. The journal and faults are on
 * with a token, or within the process of a test suite. Faults are also on if a setting has some.
 * @param masks hide secrets in the journal
 * @throws InvalidInputError of `FAULTS`, ConfigError if the token is invalid
 */
export function testFeatures(
  config: Config,
  paths: KnownPaths,
  masks: Masks,
  { isInProcess = false, tokenOfRun, faultBytes = HEAP_BUDGET.maxFaultBytes }: TestFeatureOptions,
): TestFeatures {
  const given = config.of(ITEM_SETTINGS).faults;
  const initial = readInput(faultList(paths), given, `${config.nameOf('faults')} is invalid`);
  const access = adminAccess(config, tokenOfRun);
  const isControlled = isInProcess || access !== undefined;
  const hasFaults = isControlled || initial.length > 0;
  return {
    access,
    journal: isControlled ? journal(paths, masks) : undefined,
    faults: hasFaults ? faultInjection(paths, initial, faultBytes) : undefined,
  };
}
