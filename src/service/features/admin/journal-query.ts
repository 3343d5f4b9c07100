import { quoted } from '../../../lib/printable.ts';
import { type Argument, queryParameter } from '../../operation.ts';
import { CACHE_BUSTER, invalidParameter } from '../../resource/query/parameters.ts';
import type { Journal } from '../control/journal.ts';
import type { JournalFilter } from '../control/journal-entry.ts';
import { checkedMembers, type MemberRule, range } from '../control/member-rule.ts';

type JournalQuery = JournalFilter & { readonly waitMs?: number; readonly count?: number };

const MAX_WAIT_MS = 60_000;

/** The parameters of a request for the journal. */
export function journalQuery({ members }: Journal): Argument<JournalQuery> {
  const { method, path, route, status } = members;
  const waitMs = range('integer', 0, MAX_WAIT_MS);
  const rules = {
    method: described(method, 'Only requests with this method.', 'POST'),
    path: described(path, 'This path and those below it.', '/api/todos'),
    status: described(status, 'Only requests that got this status.', 201),
    route: described(route, 'The template of the path.', '/api/todos/{id}'),
    waitMs: described(waitMs, 'How long to wait for `count` of them.', 2000),
    count: described(range('integer', 0), 'How many to wait for; 1 if absent.', 2),
  };
  return {
    parameters: Object.entries(rules).map(([name, { description, schema, example }]) =>
      queryParameter(name, description, schema, example),
    ),
    problems: ['invalid-parameter'],
    of: ({ query }) => {
      const given = new Map<string, unknown>();
      for (const [name, text] of query.parameters) {
        if (name === CACHE_BUSTER) continue;
        if (given.has(name)) throw invalidParameter([name], 'must not be repeated');
        given.set(name, /^[0-9]+$/.test(text) ? Number(text) : text);
      }
      return checkedMembers(given, rules, (name, code, detail) => {
        throw invalidParameter([code === 'unknown' ? quoted(name) : name], detail);
      });
    },
  };
}

/** Refuses all parameters, so that nobody takes them for a filter. */
export const NO_PARAMETERS: Argument<void> = {
  parameters: [],
  problems: ['invalid-parameter'],
  of: ({ query }) => {
    const given = query.parameters.find(([name]) => name !== CACHE_BUSTER);
    if (given !== undefined) {
      throw invalidParameter([quoted(given[0])], 'is not a parameter; there are none');
    }
  },
};

function described(rule: MemberRule, description: string, example: unknown) {
  return { ...rule, description, example };
}
