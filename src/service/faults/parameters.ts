import type { Request } from '../../lib/http/index.ts';
import { isJsonObject } from '../../lib/json/index.ts';
import { formatValue } from '../../lib/printable.ts';
import { type Shape, text } from '../resource/shape.ts';

type Parameters = Readonly<Record<string, string>>;

const VALUE = text('a string of well-formed Unicode');

/** Parameters of a query string that a request must have, each with its value. */
export const PARAMETERS: Shape<Parameters> = {
  schema: { type: 'object', additionalProperties: VALUE.schema },
  read(given, validation) {
    if (!isJsonObject(given)) {
      const rule = 'must be an object of parameters, such as {"search": "milk"}';
      return validation.violate('type', `${rule}, not ${formatValue(given)}`);
    }
    const parameters: [name: string, value: string][] = [];
    for (const [name, member] of Object.entries(given)) {
      if (member === undefined) continue;
      validation.enter(name);
      const value = VALUE.read(member, validation);
      validation.leave();
      if (value !== undefined) parameters.push([name, value]);
    }
    return Object.fromEntries(parameters);
  },
};

/** Whether a request has all parameters. A query string that cannot be decoded has none. */
export function hasParameters(wanted: Parameters, request: Request): boolean {
  const sent = parametersOf(request);
  return Object.entries(wanted).every(([name, value]) =>
    sent.some((parameter) => parameter[0] === name && parameter[1] === value),
  );
}

function parametersOf(request: Request) {
  // It may have been refused before its query string was decoded.
  try {
    return request.query.parameters;
  } catch {
    return [];
  }
}
