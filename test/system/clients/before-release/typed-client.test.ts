import { copyFileSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { VARIANTS } from '../../../support/service.ts';
import { documented, HERE } from '../documents.ts';
import { run } from '../run.ts';

const COMPILER_OPTIONS = {
  target: 'ES2022',
  module: 'NodeNext',
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ['node'],
  typeRoots: [`${HERE}../../../node_modules/@types`],
};

for (const variant of VARIANTS) {
  const name = variant.name.toUpperCase();
  it(`openapi-typescript and openapi-fetch make a client of variant ${name}`, async (test) => {
    const { baseUrl, folder, file } = await documented(test, 'typed', variant);
    await run('openapi-typescript', file, '--output', `${folder}/api.ts`);
    copyFileSync(`${HERE}before-release/programs/round-trip.ts`, `${folder}/round-trip.ts`);
    const project = { compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] };
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(project));
    await run('tsc', '--project', folder);
    const { roundTrip } = await import(`${folder}/round-trip.ts`);
    await roundTrip(baseUrl);
  });
}
