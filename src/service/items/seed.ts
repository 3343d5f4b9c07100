import { isJsonObject } from '../../lib/json/index.ts';
import { quoted } from '../../lib/printable.ts';
import { runToEnd } from '../../lib/steps.ts';
import { canonicalInteger, type Integer, integerIn } from '../../lib/table/index.ts';
import type { ItemFields, ItemRules } from '../resource/definition.ts';
import type { FieldValues } from '../resource/field.ts';
import { contentShape } from '../resource/item-content.ts';
import { type ArrayShape, array, mapped } from '../resource/shape.ts';
import { InvalidInputError, Validation } from '../resource/validation.ts';
import type { SeedItems } from '../store/items.ts';
import { limitOf } from '../store/store-full.ts';

/**
 * Steps that read a seed (testing.md: "Seed"). Every item of the result has an id.
 * @param subject begins the message of the error; undefined for the content of a request
 * @throws InvalidInputError, or Problem for a request, with all violations
 */
export function* seedSteps(
  given: unknown,
  rules: ItemRules,
  subject?: string,
): Generator<undefined, SeedItems> {
  const validation = new Validation();
  const items = yield* seedShape(rules).steps(given, validation);
  return subject === undefined
    ? validation.checkedContent(items)
    : validation.checkedInput(items, subject);
}

/** Reads a seed of a program, as {@link seedSteps} does. */
export function readSeed(given: unknown, rules: ItemRules, subject: string): SeedItems {
  return runToEnd(seedSteps(given, rules, subject));
}

/** The error of a seed that does not fit; undefined for errors of another kind. */
export function seedTooLarge(error: unknown, subject: string): InvalidInputError | undefined {
  const limit = limitOf(error);
  if (limit === undefined) return undefined;
  const detail = `must fit into the list, which holds at most ${limit}`;
  return new InvalidInputError(subject, [{ pointer: '#', code: 'max-items', detail }]);
}

/**
 * The shape of a seed: an array of create requests, or an object with one such array, or with several,
 * of which one has the name of the collection. An item may also have an id, and the other fields that
 * a create request cannot set.
 */
export function seedShape(rules: ItemRules): ArrayShape<FieldValues> {
  const item = contentShape(rules, 'seed');
  const name = rules.collection.slice(rules.collection.lastIndexOf('/') + 1);
  return {
    get schema() {
      return {
        description:
          'Create requests, which may also have `completed`, an id, and the time of creation ' +
          'where there is one. An object with one such array is accepted, too, or with several, of ' +
          `which one is \`${name}\`.`,
        ...array(item, 0).schema,
      };
    },
    read(given, validation) {
      return runToEnd(this.steps(given, validation));
    },
    *steps(given, validation) {
      const withId = createIdAssigner(rules.fields);
      const items = array(
        mapped(item, (values, _, sent) => withId(values, Object(sent).id, validation)),
        0,
      );
      if (Array.isArray(given)) return yield* items.steps(given, validation);
      const members = isJsonObject(given) ? Object.entries(given) : [];
      const arrays = members.filter(([, member]) => Array.isArray(member));
      const found = arrays.length === 1 ? arrays[0] : arrays.find((member) => member[0] === name);
      if (found === undefined) {
        const names = arrays.map((member) => quoted(member[0]));
        const several = names.length === 0 ? '' : `; of ${names.join(', ')}, none is ${name}`;
        const detail = `must be an array of items, or an object with one such array${several}`;
        return validation.violate('type', detail);
      }
      validation.enter(found[0]);
      const values = yield* items.steps(found[1], validation);
      validation.leave();
      return values;
    },
  };
}

/**
 * Creates a function that gives each item without an id the next one after the largest id before
 * it. The function reports an id that another item has.
 */
function createIdAssigner({ id: { identity } }: ItemFields) {
  const taken = new Set<Integer>();
  let largest = BigInt(identity.from) - 1n;
  return (values: FieldValues, sentId: unknown, validation: Validation): FieldValues => {
    const given = integerIn(values.id);
    // The field has already reported an id that is not an integer.
    if (given === undefined && sentId !== undefined) return values;
    const id = given ?? canonicalInteger(largest + 1n);
    // The field has already reported an id out of range.
    if (given !== undefined && (id < identity.from || id > identity.to)) return values;
    if (given === undefined && id > identity.to) {
      const detail = `is missing, and no id is left after ${identity.to}; give this item a free id`;
      validation.violateAt('id', 'maximum', detail);
      return values;
    }
    if (taken.has(id)) validation.violateAt('id', 'value', `is ${id}, the id of another item`);
    taken.add(id);
    if (id > largest) largest = BigInt(id);
    // Not a spread, because V8 then makes an object of three times the size.
    return Object.assign({}, values, { id });
  };
}
