import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from './repository.ts';

/** As much of an object of Kubernetes as says what it is. */
export interface TypedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

type Model = new (object: object) => { validate(): void };

// Kubernetes' types are published for 1.36 and for 1.33, not for what lies between. Fields are not taken away and given back, so
// an object that both know whole is one that 1.34 and 1.35 know too.
const MODULES: Readonly<Record<string, () => Promise<Readonly<Record<string, unknown>>>>> = {
  'kubernetes-models/v1': () => import('kubernetes-models/v1'),
  'kubernetes-models/apps/v1': () => import('kubernetes-models/apps/v1'),
  'kubernetes-models/autoscaling/v2': () => import('kubernetes-models/autoscaling/v2'),
  'kubernetes-models/networking.k8s.io/v1': () => import('kubernetes-models/networking.k8s.io/v1'),
  'kubernetes-models/policy/v1': () => import('kubernetes-models/policy/v1'),
  'kubernetes-models/scheduling.k8s.io/v1': () => import('kubernetes-models/scheduling.k8s.io/v1'),
  'kubernetes-models-1.33/v1': () => import('kubernetes-models-1.33/v1'),
  'kubernetes-models-1.33/apps/v1': () => import('kubernetes-models-1.33/apps/v1'),
  'kubernetes-models-1.33/autoscaling/v2': () => import('kubernetes-models-1.33/autoscaling/v2'),
  'kubernetes-models-1.33/networking.k8s.io/v1': () => import('kubernetes-models-1.33/networking.k8s.io/v1'),
  'kubernetes-models-1.33/policy/v1': () => import('kubernetes-models-1.33/policy/v1'),
  'kubernetes-models-1.33/scheduling.k8s.io/v1': () => import('kubernetes-models-1.33/scheduling.k8s.io/v1'),
  '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1': () =>
    import('@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1'),
  '@kubernetes-models/keda/keda.sh/v1alpha1': () => import('@kubernetes-models/keda/keda.sh/v1alpha1'),
  '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1': () =>
    import('@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'),
};
const PACKAGE = /^(kubernetes-models(-1\.33)?|@kubernetes-models\/[\w-]+)\//;
const modulesOf = ({ apiVersion }: TypedObject) =>
  Object.entries(MODULES).filter(([name]) => name.replace(PACKAGE, '') === apiVersion);

/**
 * What the types of Kubernetes 1.34, Gateway API, KEDA and the Prometheus operator have against objects: values that are
 * missing or of another type, by the schemas of the models; fields that there are none of, by the compiler, to which each
 * object is shown as a literal of its type.
 */
export async function objectProblems(objects: readonly TypedObject[]): Promise<readonly string[]> {
  const values = await Promise.all(objects.map(valueProblems));
  return [...values.flat(), ...(await fieldProblems(objects))];
}

const titleOf = ({ kind, metadata }: TypedObject) => `${kind} ${metadata.name}`;

async function valueProblems(object: TypedObject): Promise<readonly string[]> {
  const modules = modulesOf(object);
  if (modules.length === 0) return [`${titleOf(object)}: there are no types of ${object.apiVersion} here`];
  const problems = modules.map(async ([name, load]) => {
    const model = (await load())[object.kind] as Model | undefined;
    if (model === undefined) return `${titleOf(object)}: ${name} has no ${object.kind}`;
    try {
      new model(object).validate();
      return [];
    } catch (error) {
      return `${titleOf(object)}: ${(error as Error).message} (${name})`;
    }
  });
  return (await Promise.all(problems)).flat();
}

const TSCONFIG = {
  compilerOptions: { target: 'es2024', module: 'nodenext', strict: true, skipLibCheck: true, noEmit: true, types: [] },
};

async function fieldProblems(objects: readonly TypedObject[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'listen-gateway-kubernetes-'));
  try {
    await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    await Promise.all(objects.map((object, at) => writeFile(join(folder, `${at}.ts`), literalsOf(object))));
    return (await compile(folder)).map((line) => {
      const [, at, problem] = /^(\d+)\.ts\(.*?\): error TS\d+: (.*)$/.exec(line) ?? [];
      const object = objects[Number(at)];
      return object === undefined ? line : `${titleOf(object)}: ${problem}`;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function literalsOf(object: TypedObject): string {
  const text = JSON.stringify(object, null, 2);
  const literals = modulesOf(object).map(
    ([name], at) =>
      `import type { I${object.kind} as T${at} } from '${name}';\nexport const o${at}: T${at} = ${text};\n`,
  );
  return ['export {};', ...literals].join('\n');
}

/** What the compiler says of the sources in a folder, a line for each problem. */
function compile(folder: string): Promise<readonly string[]> {
  const tsc = join(REPOSITORY, 'node_modules', '.bin', 'tsc');
  return new Promise((settle, fail) => {
    execFile(tsc, ['-p', folder, '--pretty', 'false'], { cwd: folder, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const problems = stdout.split('\n').filter((line) => line.includes('error TS'));
      if (error === null || problems.length > 0) settle(problems);
      else fail(new Error(`tsc did not run: ${stdout}${stderr}`, { cause: error }));
    });
  });
}
