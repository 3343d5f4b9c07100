import {
  choice,
  FILE_PATH,
  integer,
  onOff,
  onOffOr,
  parseTimeZone,
  type Settings,
  text,
  withdrawn,
} from '../../lib/config/index.ts';
import { isJsonArray, parseJsonBytes } from '../../lib/json/index.ts';
import { STORE_SETTINGS } from '../../replicas/store-settings.ts';
import { TOKEN_SETTINGS } from '../admin/token.ts';
import { CORS_SETTINGS } from '../cors.ts';
import { isListName, MAX_LISTS } from '../lists/list-name.ts';
import { HEAP_BUDGET } from '../memory-plan.ts';
import type { Definition } from '../resource/definition.ts';
import { variantA } from '../todo/variant-a.ts';
import { VARIANTS, VARIANTS_SUMMARY } from '../todo/variants.ts';
import { PROCESS_SETTINGS } from './process-settings.ts';

/** Parses a JSON array, with all digits of its numbers; undefined if the text is something else. */
function parseArray(json: string): readonly unknown[] | undefined {
  try {
    return parseJsonBytes(Buffer.from(json), isJsonArray);
  } catch {
    return undefined;
  }
}

/** Parses names of lists; undefined if one is invalid or repeated, or if there are too many. */
function parseListNames(list: string): readonly string[] | undefined {
  const names = list.split(',').map((name) => name.trim());
  const areNames = names.every(isListName) && names.length <= MAX_LISTS;
  return areNames && new Set(names).size === names.length ? names : undefined;
}

/** Why a value begins with a quote. */
const QUOTES = 'an env file of Docker keeps them';

export const ITEM_SETTINGS = {
  variant: {
    description: `shape of the items: ${VARIANTS_SUMMARY}`,
    ...choice<Definition>(VARIANTS, variantA),
    imageVariable: 'IMAGE_VARIANT',
  },
  resource: {
    description: 'file with the JSON Schema of the items, which then are no to-dos',
    ...text(
      'the path of a JSON file, with or without #/ and a JSON pointer',
      /^(?!-----BEGIN)[^\0]+$/,
    ),
    argument: { pattern: /\.schema\.json$|\.json#\//, example: 'note.schema.json' },
  },
  tz: {
    description: 'time zone of createdAt, such as Europe/Berlin',
    default: null,
    defaultText: "the system's",
    allowed: 'an IANA time zone in its exact spelling, such as Europe/Berlin',
    parse: parseTimeZone,
  },
  seedFile: {
    description: 'JSON file with the items to start with, and to reset to',
    ...FILE_PATH,
    argument: { pattern: /\.json$/, example: 'db.json' },
  },
  faults: {
    description: 'faults from the start and after each reset, such as [{"delayMs": 300}]',
    default: [],
    defaultText: 'none',
    allowed: 'a JSON array of faults, such as [{"delayMs": 300}]',
    parse: parseArray,
    argument: { pattern: /^(?:-d|--delay)(?:=|$)/, example: `'[{"delayMs": 300}]'` },
    // Header fields may contain secrets.
    isSecret: true,
    hint: (text) => (/^\s*['"]/.test(text) ? `; leave out the quotes around it (${QUOTES})` : ''),
    summary: ({ length }: readonly unknown[]) => `${length} fault${length === 1 ? '' : 's'}`,
  },
  lists: {
    description: 'names of lists below /lists/NAME, comma-separated, such as anna,ben',
    default: [],
    defaultText: 'none',
    allowed: `up to ${MAX_LISTS} different names of 1 to 64 letters, digits and -._~, separated by commas`,
    parse: parseListNames,
  },
  listsByHeader: {
    description: 'serve requests with baggage: todo-list=NAME by that list; required: no others',
    ...onOffOr('required'),
  },
  strict: {
    description: 'refuse unknown names, and values that a request cannot set',
    ...onOff(true),
  },
  maxEventStreams: {
    description: 'maximum number of open event streams; 0 turns them off',
    ...integer(0, 100_000, 1_000),
  },
  maxRows: {
    description: 'maximum number of items; a create beyond it gets 507',
    ...integer(1, 100_000_000, 1_000_000),
  },
  maxBytes: {
    description: 'maximum bytes of memory for items; a write beyond it gets 507',
    ...integer(65_536, Number.MAX_SAFE_INTEGER, HEAP_BUDGET.maxBytes),
  },
  accessLog: { description: 'log one JSON line per request', ...onOff(false) },
  metrics: { description: 'serve Prometheus metrics at /metrics', ...onOff(true) },
} as const satisfies Settings;

/** Every setting, in the order of `--help`, and those that were withdrawn. */
export const SETTINGS: Settings = {
  ...PROCESS_SETTINGS,
  ...ITEM_SETTINGS,
  ...CORS_SETTINGS,
  ...TOKEN_SETTINGS,
  ...STORE_SETTINGS,
  strictQuery: withdrawn('STRICT=off ignores unknown names'),
};
