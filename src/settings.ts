import { SERVER_SETTINGS } from './config/server-settings.ts';
import { choice, type Setting, type Settings } from './config/setting.ts';
import { ETCD_SETTINGS } from './etcd-settings.ts';
import { FEATURES } from './features.ts';
import { ITEM_SETTINGS } from './todo/settings.ts';

/** Where the items are kept. */
export const STORE_SETTINGS = {
  store: {
    variable: 'STORE',
    description: 'where to keep items: in memory, or in etcd, which several replicas can share',
    ...choice(
      new Map([
        ['memory', 'memory'],
        ['etcd', 'etcd'],
      ] as const),
      'memory',
    ),
  },
  ...ETCD_SETTINGS,
} as const satisfies Settings;

/** Every setting, in the order of `--help`. */
export const SETTINGS: readonly Setting<unknown>[] = [
  SERVER_SETTINGS,
  ITEM_SETTINGS,
  ...FEATURES.map(({ settings }) => settings),
  STORE_SETTINGS,
].flatMap((settings) => Object.values<Setting<unknown>>(settings));
