// Run by `npm version`: gives the version of package.json to the files of the images.
import { readFileSync, writeFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

for (const [file, before] of [
  ['Dockerfile', /(?<=^ARG VERSION=)[\w.-]+/m],
  ['scripts/docker-bake.hcl', /(?<=^variable "VERSION" \{ default = ")[\w.-]+/m],
]) {
  writeFileSync(file, readFileSync(file, 'utf8').replace(before, version));
}
