import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { IService } from 'kubernetes-models/v1/Service';
import { parseAllDocuments } from 'yaml';
import { until } from '../../support/until.ts';
import { answers, containerFor, docker, imageOf, run } from '../images/docker.ts';
import { exampleFile } from './example.ts';

/** The types of the Kubernetes API by kind of object. */
const TYPES = {
  Deployment: ['IDeployment', 'kubernetes-models/apps/v1/Deployment'],
  Service: ['IService', 'kubernetes-models/v1/Service'],
  Ingress: ['IIngress', 'kubernetes-models/networking.k8s.io/v1/Ingress'],
} as const;

const TOKEN = 'secret';

const [deployment, service, ingress] = manifest();

it('kubernetes: the manifest matches the types of the Kubernetes API exactly', async (test) => {
  const folder = mkdtempSync(join(import.meta.dirname, 'manifest-'));
  test.after(() => rmSync(folder, { recursive: true }));
  // The compiler rejects unknown members, such as misspelt ones.
  const check = async (...objects: readonly (IDeployment | IService | IIngress)[]) => {
    const lines = objects.map((object, i) => {
      const [type, module] = TYPES[object.kind];
      const name = `object${i}`;
      const text = JSON.stringify(object, null, 2);
      const imported = `import type { ${type} } from '${module}';`;
      return `${imported}\nexport const ${name}: ${type} = ${text};\n`;
    });
    writeFileSync(join(folder, 'manifest.ts'), lines.join('\n'));
    const config = { extends: '../tsconfig.json', include: ['manifest.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    return run('npx', ['tsc', '-p', folder]);
  };
  const good = await check(deployment, service, ingress);
  assert.equal(good.status, 0, good.stdout);
  const misspelt = JSON.stringify(deployment).replace('livenessProbe', 'livelinessProbe');
  const bad = await check(JSON.parse(misspelt));
  assert.match(bad.stdout, /livelinessProbe/);
});

it('kubernetes: the parts of the manifest are consistent', () => {
  const { selector, template } = deployment.spec ?? assert.fail();
  assert.deepEqual(selector.matchLabels, template.metadata?.labels);
  assert.deepEqual(service.spec?.selector, template.metadata?.labels);
  const [port] = container().ports ?? [];
  assert.equal(service.spec?.ports?.[0]?.targetPort, port?.name);
  const [path] = ingress.spec?.rules?.[0]?.http?.paths ?? [];
  assert.equal(path?.backend.service?.name, service.metadata?.name);
  assert.equal(path?.backend.service?.port?.name, service.spec?.ports?.[0]?.name);
  const { startupProbe, readinessProbe, livenessProbe } = container();
  for (const probe of [startupProbe, readinessProbe, livenessProbe])
    assert.equal(probe?.httpGet?.port, port?.name);
});

it('kubernetes: the container runs with the manifest, drains and exits in time', async (test) => {
  const { securityContext, terminationGracePeriodSeconds = 30 } = pod();
  const { resources, startupProbe, livenessProbe, env = [], securityContext: own } = container();
  assert(own?.readOnlyRootFilesystem);
  const started = await containerFor(test, imageOf('a'), [
    ...['--read-only', '--security-opt=no-new-privileges'],
    ...(own.capabilities?.drop ?? []).map((name) => `--cap-drop=${name}`),
    `--user=${securityContext?.runAsUser}:${securityContext?.runAsGroup}`,
    `--memory=${String(resources?.limits?.memory).replace('Mi', 'm')}`,
    // The only variable without a value is the token, which is a secret of the cluster.
    ...env.map(({ name, value = TOKEN }) => `--env=${name}=${value}`),
    '--no-healthcheck',
  ]);
  const url = await started.baseUrl();
  await until('it is started', () => answers(`${url}${startupProbe?.httpGet?.path}`));
  const headers = { Authorization: `Bearer ${TOKEN}` };
  assert.equal((await fetch(`${url}/admin/faults`, { headers })).status, 200);

  const begin = performance.now();
  const stopped = docker('stop', '--time', String(terminationGracePeriodSeconds), started.id);
  await until('it is not ready', async () => !(await answers(`${url}/readyz`)));
  for (const path of ['/api/todos', livenessProbe?.httpGet?.path])
    await until(`${path} is served while it drains`, () => answers(`${url}${path}`));
  await stopped;
  const delay = env.find(({ name }) => name === 'DRAIN_DELAY_MS')?.value;
  assert(performance.now() - begin > Number(delay), 'it drains for as long as it should');
  assert.equal(await started.inspect('{{.State.ExitCode}}'), '0');
});

function manifest(): readonly [IDeployment, IService, IIngress] {
  const documents = parseAllDocuments(exampleFile('kubernetes/todo-service.yaml'));
  assert.equal(documents.length, 3);
  const [first, second, third] = documents.map((document) => document.toJS());
  return [first, second, third];
}

function pod() {
  return deployment.spec?.template.spec ?? assert.fail('there is no pod');
}

function container() {
  return pod().containers[0] ?? assert.fail('there is no container');
}
