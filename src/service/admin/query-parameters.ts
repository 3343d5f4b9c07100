import { Problem, type Query } from '../../lib/http/index.ts';
import { isJsonObject } from '../../lib/json/index.ts';
import { formatJson, type Shape, string } from '../resource/shape.ts';
import { NOT_WELL_FORMED } from '../resource/value-shape.ts';

type RequiredParameters = Readonly<Record<string, string>>;

const VALUE = string('a string of well-formed Unicode');

/** Parameters of a query string that a request must have, each with its value. */
export const PARAMETERS: Shape<RequiredParameters> = {
  schema: { type: 'object', additionalProperties: VALUE.schema },
  read(given, validation) {
    if (!isJsonObject(given)) {
      const rule = 'must be an object of parameters, such as {"search": "milk"}';
      return validation.violate('type', `${rule}, not ${formatJson(given)}`);
    }
    const parameters: [name: string, value: string][] = [];
    for (const [name, member] of Object.entries(given)) {
      if (member === undefined) continue;
      if (!name.isWellFormed()) {
        validation.violateAt(name, 'well-formed', NOT_WELL_FORMED);
        continue;
      }
      validation.enter(name);
      const value = VALUE.read(member, validation);
      validation.leave();
      if (value !== undefined) parameters.push([name, value]);
    }
    return Object.fromEntries(parameters);
  },
};

/** The parameters of a query string. One that cannot be decoded has none. */
export function parametersOf(parse: () => Query): Query['parameters'] {
  try {
    return parse().parameters;
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}
