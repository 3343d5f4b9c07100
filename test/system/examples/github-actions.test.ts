import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { answers, containerFor, docker, imageOf } from '../images/docker.ts';
import { exampleFile, runIn } from './example.ts';

/** A workflow, as far as this test uses it. */
interface Workflow {
  readonly jobs: {
    readonly test: {
      readonly services: {
        readonly todo: {
          readonly env: Readonly<Record<string, string>>;
          readonly options: string;
        };
      };
      readonly steps: readonly { readonly name: string; readonly run: string }[];
    };
  };
}

it('github-actions: the service becomes healthy, and the steps succeed', async (test) => {
  const workflow: Workflow = parse(exampleFile('github-actions/api-tests.yml'));
  const { services, steps } = workflow.jobs.test;
  const { env, options } = services.todo;
  const flags = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const words = options.trim().split(/\s+/);
  const container = await containerFor(test, imageOf('a'), [...flags, ...words]);
  const health = () => container.inspect('{{.State.Health.Status}}');
  await until('it is healthy', async () => (await health()) === 'healthy');
  const url = await container.baseUrl();
  assert(await answers(`${url}/readyz`));
  for (const step of steps) {
    await runIn(ROOT, ['bash', '-e', '-o', 'pipefail', '-c', step.run], { TODO_URL: url });
  }
  assert.equal(await docker('inspect', '--format', '{{.State.Running}}', container.id), 'true');
});
