const names = (count: number) => Array.from({ length: count }, () => 'description').join(',');

/** The most expensive list queries within the limits. */
export const COSTLY_QUERIES: readonly string[] = [
  `sort=${names(680)}&limit=1`,
  'sort=description,-title,priority,completed&limit=1',
  'sort=-title',
  'search=zz',
  `search=${encodeURIComponent('\u{10428}\u{10428}\u{10428}')}&limit=1`,
  `description.containsIgnoreCase=${encodeURIComponent('\u{1F600}z')}&limit=5&sort=priority`,
  'offset=999999999&limit=1',
  'completed=false&priority.in=1,2,3&limit=20&sort=-priority',
  `id.notIn=${Array.from({ length: 1_500 }, (_, i) => i).join(',')}&limit=1`,
  Array.from({ length: 300 }, (_, i) => `title.contains=${i}`).join('&'),
];

const bracketed = (text: string, times: number) => `[${Array(times).fill(text).join()}]`;

/** Conditions that take longest to read, or to refuse, within the length of a request target. */
export const COSTLY_CONDITIONS: readonly string[] = [
  `{"and":${bracketed('{}', 600)}}`,
  `{"and":${bracketed('[]', 600)}}`,
  `{"id":{"in":${bracketed('1', 1_500)}}}`,
  `{"or":${bracketed('{"id":1}', 300)}}`,
  `{"and":${bracketed(`${'{"not":'.repeat(28)}{}${'}'.repeat(28)}`, 10)}}`,
];
