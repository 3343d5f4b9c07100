import {
  canonicalName,
  choice,
  filePath,
  integer,
  onOff,
  parseTimeZone,
  type Settings,
} from '../../lib/config/index.ts';
import { HEAP_BUDGET } from '../memory-plan.ts';
import type { Variant } from '../todo/variant.ts';
import { variantA } from '../todo/variant-a.ts';
import { VARIANTS } from '../todo/variants.ts';

const SUMMARIES = [...VARIANTS.values()].map(({ name, summary }) => `${name} (${summary})`);

/** What the items are, and how many there may be. */
export const ITEM_SETTINGS = {
  variant: {
    description: `shape of the items: ${SUMMARIES.join(' or ')}`,
    ...choice<Variant>(VARIANTS, variantA),
    imageVariable: 'IMAGE_VARIANT',
  },
  tz: {
    description: 'time zone of createdAt, such as Europe/Berlin',
    default: null,
    defaultText: "the system's",
    allowed: 'an IANA time zone in its exact spelling, such as Europe/Berlin',
    parse: parseTimeZone,
    hint: (text: string) => {
      const name = canonicalName(text);
      return name && name !== text ? `did you mean ${name}?` : undefined;
    },
  },
  seedFile: {
    description: 'JSON file with the items to start with, and to reset to',
    ...filePath(),
  },
  strictQuery: { description: 'refuse unknown query parameters with 400', ...onOff(false) },
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
} as const satisfies Settings;
