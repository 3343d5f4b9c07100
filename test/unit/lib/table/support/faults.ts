import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';

/** The error that an injected fault throws. */
export const FAULT = new Error('injected');

/** Whether a fault replaces a step, or follows it. */
export type When = 'before' | 'after';

type Method = (this: unknown, ...values: unknown[]) => unknown;

const SOURCE = new URL('../../../../../src/lib/table/', import.meta.url);

/**
 * Where the classes are whose methods are the steps of a write. A fault may follow only what
 * belongs to rows and texts: a method that orders such steps has done its work when it returns.
 */
const STEPS: Readonly<Record<When, readonly object[]>> = {
  before: await classesIn(['rows', 'texts', 'write']),
  after: await classesIn(['rows', 'texts']),
};

/**
 * Every method of every class of some folders, without naming any: whatever the engine is made of,
 * it consists of these steps.
 */
async function classesIn(folders: readonly string[]): Promise<readonly object[]> {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, SOURCE))
      .filter((name) => name.endsWith(extension))
      .map((name) => new URL(`${folder}/${name}`, SOURCE).href),
  );
  const modules: object[] = await Promise.all(files.map((file) => import(file)));
  return modules
    .flatMap((module) => Object.values(module))
    .filter((each) => typeof each === 'function' && typeof each.prototype === 'object');
}

/**
 * Runs a function with a fault at one step, counted from 1.
 *
 * @returns whether there was such a step
 */
export function withFault(step: number, when: When, run: () => void): boolean {
  let left = step;
  const strike = () => {
    left--;
    if (left === 0) throw FAULT;
  };
  const restore: (() => void)[] = [];
  for (const each of STEPS[when]) {
    for (const owner of [each, Reflect.get(each, 'prototype')]) {
      for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
        if (typeof value !== 'function' || name === 'constructor' || name === 'prototype') continue;
        const method: Method = value;
        Reflect.set(owner, name, function (this: unknown, ...values: unknown[]) {
          if (when === 'before') strike();
          const result = Reflect.apply(method, this, values);
          if (when === 'after') strike();
          return result;
        });
        restore.push(() => Reflect.set(owner, name, method));
      }
    }
  }
  assert.ok(restore.length > 20, 'there are steps that can fail');
  try {
    run();
  } catch (error) {
    if (error !== FAULT) throw error;
  } finally {
    for (const undo of restore) undo();
  }
  return left <= 0;
}
