// Run by `node --import tsx scripts/repl.ts`: a prompt with a table of todos, to try conditions and
// transactions.
import { start } from 'node:repl';
import { rowsOf } from '../bench/lib/rows.ts';
import { and, not, or, Table } from '../src/lib/table/index.ts';
import { VARIANTS } from '../src/service/todo/variants.ts';

const ROWS = 10_000;

const variant = VARIANTS.get(process.argv[2] ?? 'a');
if (variant === undefined) {
  process.stderr.write('usage: node --import tsx scripts/repl.ts [a|b]\n');
  process.exit(2);
}

const table = new Table(variant.fields);
for (const row of rowsOf(ROWS)) table.insert({ ...row });

process.stdout.write(`${ROWS} rows of variant ${variant.name}. Try:

  table.search((t) => [t.title.containsIgnoreCase('meet'), t.completed.eq(true)], { limit: 3 })
  table.search((t) => [or(t.title.contains('plan'), t.description.contains('plan'))], { limit: 3 })
  table.remove((t) => [or(t.title.contains('plan'), t.description.contains('plan'))])
  table.bytes

`);
Object.assign(start('todo> ').context, { table, and, or, not });
