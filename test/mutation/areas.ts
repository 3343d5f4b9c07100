/** A part of the source that is judged as a whole. */
export interface Area {
  /** Files and folders. A file belongs to the area with the longest path that matches. */
  readonly code: readonly string[];
  /** Folders of tests and single tests, in the order of the stages in which they run. */
  readonly tests: readonly string[];
}

export const AREAS: Readonly<Record<string, Area>> = {
  table: {
    code: ['src/lib/table/'],
    tests: ['test/unit/lib/table/', 'test/unit/service/todo/list-model.test.ts'],
  },
  http: {
    code: ['src/lib/http/'],
    tests: ['test/unit/lib/http/', 'test/unit/service/', 'test/api/'],
  },
  replica: {
    code: ['src/lib/replica/'],
    tests: ['test/unit/lib/replica/', 'test/system/simulation/'],
  },
  features: {
    code: ['src/service/'],
    tests: ['test/unit/service/', 'test/api/', 'test/unit/package/', 'test/system/program/'],
  },
  todo: {
    code: ['src/service/todo/', 'src/service/store/', 'src/service/replicas/'],
    tests: [
      'test/unit/service/',
      'test/api/',
      'test/unit/lib/replica/',
      'test/system/simulation/',
      'test/unit/web-page/',
      'test/system/program/',
    ],
  },
  resource: {
    code: ['src/service/resource/', 'src/service/openapi/'],
    tests: [
      'test/unit/service/resource/',
      'test/unit/service/openapi/',
      'test/unit/service/todo/',
      'test/api/',
    ],
  },
  libraries: {
    code: ['src/lib/'],
    tests: [
      'test/unit/lib/json/',
      'test/unit/lib/config/',
      'test/unit/lib/log.test.ts',
      'test/unit/lib/nearest.test.ts',
      'test/unit/lib/printable.test.ts',
      'test/unit/lib/pending-waits.test.ts',
      'test/unit/service/',
      'test/api/',
      'test/system/program/',
    ],
  },
  package: {
    code: ['src/package/', 'src/main.ts', 'src/healthcheck.ts'],
    tests: ['test/unit/package/', 'test/system/program/'],
  },
};

/**
 * Tests of the program run it as a child process, in which they collect no coverage. So they count
 * as covering all code of the areas that have them.
 */
export const WITHOUT_COVERAGE = /^test\/system\/program\//;

/** The area of a file of `src`. The web page belongs to none: tests in a browser cover it. */
export function areaOf(file: string): string | undefined {
  let [area, longest]: [string | undefined, string] = [undefined, ''];
  for (const [name, { code }] of Object.entries(AREAS)) {
    for (const path of code) {
      if (file.startsWith(path) && path.length > longest.length) [area, longest] = [name, path];
    }
  }
  return area;
}

/**
 * Divides tests into the stages in which they run for a mutated file, so that most mutants fail
 * soon: its own test, the other tests of its folder, then each entry of its area.
 */
export function stagesOf(
  file: string,
  { tests: entries }: Area,
  tests: readonly string[],
): readonly (readonly string[])[] {
  const mirrored = file.replace(/^src\//, 'test/unit/').replace(/\.ts$/, '.test.ts');
  const folder = mirrored.slice(0, mirrored.lastIndexOf('/') + 1);
  const taken = new Set<string>();
  return [mirrored, folder, ...entries]
    .map((start) =>
      tests.filter((test) => test.startsWith(start) && !taken.has(test) && taken.add(test)),
    )
    .filter((stage) => stage.length > 0);
}
