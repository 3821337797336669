/**
 * Makes validators of linked schemas with ajv. What it would do slowly for hostile content or careless schemas is done by
 * keywords of our own; see `schema-keywords.ts`.
 */

import Ajv2019 from 'ajv/dist/2019.js';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { JsonValue } from '../doip/json.js';
import { isJsonObject } from '../doip/json.js';
import { LinearPattern } from './linear-pattern.js';
import { schemaFormats } from './schema-formats.js';
import { ownKeywords, REPLACED_KEYWORDS } from './schema-keywords.js';
import type { Schema } from './schema-shapes.js';

/** Key of the schemas within their compiler. */
const KEY = 'type';

const FORMATS = schemaFormats();

/** Tells whether a value matches one of the linked schemas, or a schema within them. */
export type MatchTest = (schema: JsonValue | undefined, value: JsonValue) => boolean;

/** What became of linked schemas. */
export interface Validator {
    /** The errors of a value against the first schema; empty when it matches. */
    errors(value: JsonValue): readonly ErrorObject[];
    readonly matches: MatchTest;
}

/**
 * Compiles linked schemas.
 *
 * @param allErrors true to go on after the first fault.
 */
export function compileSchemas(targets: readonly Schema[], allErrors: boolean): Validator {

    // a compiler of its own for each type costs 0.2 ms, and lets all that belongs to the type go with it
    const known = [...targets];
    const validators = new Map<JsonValue, ValidateFunction>();
    const validatorOf = (schema: JsonValue): ValidateFunction => {

        const validator = validators.get(schema) ?? ajv.getSchema(`${KEY}#/t/${known.push(schema as Schema) - 1}`);
        if (!validator) {
            throw new Error('the schema does not belong to the linked ones');
        }

        validators.set(schema, validator);
        return validator;
    };

    const matches: MatchTest = (schema, value) => (isJsonObject(schema) ? validatorOf(schema)(value) === true : schema !== false);
    const ajv = createAjv(allErrors, targets, matches);
    ajv.addSchema({ t: known }, KEY);
    const root = ajv.getSchema(`${KEY}#/t/0`);
    if (!root) {
        throw new Error('there is no schema');
    }

    return { errors: (value) => (root(value) ? [] : root.errors ?? []), matches };
}

function createAjv(allErrors: boolean, targets: readonly Schema[], matches: MatchTest): Ajv2019 {

    const regExp = Object.assign((source: string) => LinearPattern.of(source), { code: 'LinearPattern.of' });
    const ajv = new Ajv2019({
        allErrors,
        strict: false,
        meta: false,
        validateSchema: false,
        logger: false,
        // a property called `constructor` is only there when the content has it
        ownProperties: true,
        unicodeRegExp: true,
        // 19.99 is a multiple of 0.01, whatever binary fractions say
        multipleOfPrecision: 9,
        formats: FORMATS,
        // optimising takes five times as long as compiling and gains nothing
        code: { regExp, optimize: false }
    });
    // its own way of noting what was evaluated fails where patterns stand inside of conditions
    Object.assign(ajv.opts, { unevaluated: false });
    REPLACED_KEYWORDS.forEach((keyword) => ajv.removeKeyword(keyword));
    return ajv.addVocabulary(ownKeywords({ targets, matches }));
}
