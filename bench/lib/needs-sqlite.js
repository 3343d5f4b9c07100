import { isBuiltin } from 'node:module';

if (!isBuiltin('node:sqlite')) {
  process.stderr.write(
    `bench/table.ts needs node:sqlite, which Node 24 and newer have; this is ${process.version}\n`,
  );
  process.exit(1);
}
