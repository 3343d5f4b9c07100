import type { Violation } from '../../../lib/http/index.ts';
import { isJsonObject, type JsonObject, jsonPointer } from '../../../lib/json/index.ts';
import type { Shape } from '../shape.ts';
import { type Path, Validation, type ViolationCode } from '../validation.ts';

/** A schema, as it stands in a document. */
export interface PlacedSchema {
  /** Its keywords. Annotations beside a `$ref` or an `anyOf` replace its own. */
  readonly keywords: JsonObject;
  /** Whether it stood beside `{"type": "null"}` in an `anyOf`. */
  readonly isOrNull: boolean;
  /** The place of the schema that has the rules. */
  readonly origin: Path;
  /** The place of a keyword. */
  placeOf(keyword: string): Path;
}

/** Keywords that may stand beside `$ref` and `anyOf`. */
const BESIDE = /^(?:title|description|default|examples?|readOnly|deprecated|\$comment|x-.*)$/;

/** The longest chain of references. */
const MAX_REFERENCES = 20;

export const LEADS_BACK = 'must not lead back to itself; use an object without properties';

/** A document that has schemas, and the violations that have been found in it. */
export class SchemaSource {
  readonly violations: Violation[] = [];
  readonly #document: unknown;

  constructor(document: unknown) {
    this.#document = document;
  }

  /** Reports a violation. Returns undefined, to be used as the value. */
  report(path: Path, code: ViolationCode, detail: string): undefined {
    this.violations.push({ pointer: jsonPointer(...path), code, detail });
  }

  /** Reads a value at a place, and reports its violations. Undefined if there are any. */
  read<T>(shape: Shape<T>, given: unknown, path: Path): T | undefined {
    const validation = new Validation();
    const value = shape.read(given, validation);
    const start = jsonPointer(...path);
    this.#report(validation, (pointer) => start + pointer.slice(1));
    return validation.violations.length === 0 ? value : undefined;
  }

  /** Reads the keywords of a schema, and reports the violations of each at its place. */
  readKeywords<T>(shape: Shape<T>, { keywords, placeOf }: PlacedSchema): T | undefined {
    const validation = new Validation();
    const value = shape.read(keywords, validation);
    this.#report(validation, (pointer) => {
      const [, keyword = '', ...within] = pointer.split('/');
      return [jsonPointer(...placeOf(keyword)), ...within].join('/');
    });
    return value;
  }

  #report({ violations }: Validation, pointerOf: (pointer: string) => string): void {
    for (const each of violations) {
      this.violations.push({ ...each, pointer: pointerOf(each.pointer) });
    }
  }

  /** The value at a JSON pointer (RFC 6901); undefined if there is none. */
  valueAt(path: Path): unknown {
    return path.reduce((at: unknown, name) => {
      const isThere = typeof at === 'object' && at !== null && Object.hasOwn(at, name);
      return isThere ? Object(at)[name] : undefined;
    }, this.#document);
  }

  /**
   * The schema at a place: that of a local `$ref`, and the one that an `anyOf` has beside null, as if
   * it stood there. Reports and returns undefined for anything else.
   */
  schemaAt(path: Path, references = 0): PlacedSchema | undefined {
    const given = this.valueAt(path);
    if (!isJsonObject(given)) return this.report(path, 'type', 'must be a schema: an object');
    if ('$ref' in given) {
      const target = this.#targetOf(given.$ref, [...path, '$ref'], references);
      const found = target && this.schemaAt(target, references + 1);
      return found && this.#withOuter(found, given, path, '$ref');
    }
    if ('anyOf' in given) {
      const inner = this.#besideNull(given.anyOf, [...path, 'anyOf']);
      const found = inner && this.schemaAt(inner, references + 1);
      return found && { ...this.#withOuter(found, given, path, 'anyOf'), isOrNull: true };
    }
    const placeOf = (keyword: string) => [...path, keyword];
    return { keywords: given, isOrNull: false, origin: path, placeOf };
  }

  #targetOf(reference: unknown, path: Path, references: number): Path | undefined {
    if (typeof reference !== 'string' || !/^#(?:$|\/)/.test(reference)) {
      return this.report(path, 'value', 'must be of this document, such as #/$defs/Tag');
    }
    const target = pathIn(reference);
    if (references === MAX_REFERENCES) {
      return this.report(path, 'value', LEADS_BACK);
    }
    if (this.valueAt(target) !== undefined) return target;
    return this.report(path, 'value', `must lead to a schema; there is none at ${reference}`);
  }

  #besideNull(given: unknown, path: Path): Path | undefined {
    const schemas: readonly unknown[] = Array.isArray(given) ? given : [];
    const others = schemas.flatMap((schema, i) => (isNull(schema) ? [] : [i]));
    const [only] = others;
    if (only !== undefined && others.length === 1 && schemas.length === 2) return [...path, only];
    const detail =
      'must have two schemas, of which one is {"type": "null"}; for others, use one type, or an object without properties';
    return this.report(path, 'value', detail);
  }

  /** A schema with the annotations beside the keyword that led to it. */
  #withOuter(found: PlacedSchema, outer: JsonObject, path: Path, via: string): PlacedSchema {
    const { [via]: _, ...beside } = outer;
    for (const keyword of Object.keys(beside)) {
      if (BESIDE.test(keyword)) continue;
      this.report(
        [...path, keyword],
        'unknown',
        `is not supported beside ${via}; write it in that schema`,
      );
    }
    return {
      ...found,
      keywords: { ...found.keywords, ...beside },
      placeOf: (keyword) =>
        Object.hasOwn(beside, keyword) ? [...path, keyword] : found.placeOf(keyword),
    };
  }
}

function isNull(schema: unknown): boolean {
  return isJsonObject(schema) && schema.type === 'null' && Object.keys(schema).length === 1;
}

/** The names in a JSON pointer as a URI fragment (RFC 6901, section 6). */
export function pathIn(fragment: string): Path {
  const names = fragment.replace(/^#/, '').split('/').slice(1);
  return names.map((name) => decoded(name).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
