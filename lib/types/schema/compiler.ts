/**
 * Compiles linked schemas into validators with ajv. What ajv does slowly for hostile content or careless schemas is replaced by
 * own keywords, in `custom-keywords.ts` and `calling-keywords.ts`.
 */

import Ajv2019 from 'ajv/dist/2019.js';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { SafeRegExp } from '../../util/regexp/safe-regexp.js';
import { schemaFormats } from './formats.js';
import { customKeywords, REPLACED_KEYWORDS } from './custom-keywords.js';
import { LENGTH_KEYWORDS, textLengths } from './text-lengths.js';
import type { Schema } from './shapes.js';
import { BudgetExceeded, spend, startBudget, uncounted } from '../../util/concurrency/time-budget.js';
import type { ValidatorOf } from './calling-keywords.js';
import { CALLED_KEYWORDS, callingKeywords } from './calling-keywords.js';
import type { LinkedSchema } from './linked-schema.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import { ValueSizes, weightOf } from './work.js';

/** A part of a schema, and what checking a value by it costs. */
interface CompiledPart {
    readonly validate: ValidateFunction;
    /** Steps of the time budget for each value in the value. */
    readonly weight: number;
}

/** Cost of a call, in steps of the time budget. */
const CALL_COST = 20;

/** Key under which the schemas are registered with ajv. */
const KEY = 'type';

const FORMATS = schemaFormats();

/** True if a value matches one of the linked schemas, or a subschema of one. */
export type MatchTest = (schema: JsonValue | undefined, value: JsonValue) => boolean;

/** Compiled form of linked schemas. */
export interface Validator {
    /** Returns the errors of a value against the first schema; empty if it matches. */
    errors(value: JsonValue): readonly ErrorObject[];
    readonly matches: MatchTest;
    /**
     * Compiles the schemas one after the other instead of on first use, each before it yields.
     *
     * @param isDeep true to compile also those that are parts of others, but compiled by themselves
     * @throws Error if one of them cannot be compiled
     */
    compileEach(isDeep: boolean): Generator<void, void, undefined>;
}

/**
 * Time in ms for which schemas are compiled in one search for all errors; later ones go on from there. The validator that stops at the first error,
 * by which content is accepted, is prepared before.
 */
const MAX_COMPILING_MS = 20;

/**
 * Compiles linked schemas, each on first use.
 *
 * @param allErrors false to stop at the first error; a search for all of them throws {@link BudgetExceeded} when too much of the schema is not compiled yet
 */
export function compileSchemas({ targets, parts }: Pick<LinkedSchema, 'targets' | 'parts'>, allErrors: boolean): Validator {

    const schemas: Schema[] = [];
    const compiled = new Map<Schema, CompiledPart>();
    const sizes = new ValueSizes();
    let compilingMs = 0;
    const partOf = (schema: Schema): CompiledPart => getOrAdd(compiled, schema, () => {

        if (allErrors && compilingMs > MAX_COMPILING_MS) {
            throw new BudgetExceeded();
        }

        const began = performance.now();
        const made = uncounted(() => ajv.getSchema(`${KEY}#/t/${schemas.push(schema) - 1}`));
        compilingMs += performance.now() - began;
        if (!made) {
            throw new Error('a linked schema cannot be found');
        }

        return { validate: made, weight: weightOf(schema) };
    });
    const validatorOf: ValidatorOf = (schema, value) => {

        const { validate, weight } = partOf(schema);
        spend(CALL_COST + weight * sizes.of(value));
        return validate;
    };

    const matches: MatchTest = (schema, value) => (isJsonObject(schema) ? validatorOf(schema, value)(value) === true : schema !== false);
    // One ajv instance per type costs 0.2 ms, and is garbage collected together with the type.
    const ajv = createAjv(allErrors);
    ajv.addVocabulary([...customKeywords({ targets, matches }), ...textLengths(), ...callingKeywords({ targets, validatorOf, allErrors })]);
    ajv.addSchema({ t: schemas }, KEY);
    const errors = (value: JsonValue): readonly ErrorObject[] => {

        compilingMs = 0;
        const validate = validatorOf(targets[0] ?? true, value);
        return validate(value) ? [] : validate.errors ?? [];
    };

    function *compileEach(isDeep: boolean): Generator<void, void, undefined> {

        // Inner ones first, so that none compiles others when it is called.
        for (const schema of isDeep ? [...parts, ...targets.toReversed()] : targets) {
            const { validate } = partOf(schema);
            if (isDeep) {
                // V8 compiles a function when it is first called; null has no members to which others apply.
                startBudget();
                validate(null);
            }

            yield;
        }
    }

    return { errors, matches, compileEach };
}

function createAjv(allErrors: boolean): Ajv2019 {

    const regExp = Object.assign((source: string) => SafeRegExp.of(source), { code: 'SafeRegExp.of' });
    const ajv = new Ajv2019({
        allErrors,
        strict: false,
        meta: false,
        validateSchema: false,
        logger: false,
        // A property named `constructor` is present only if the content has it.
        ownProperties: true,
        unicodeRegExp: true,
        // Longer lists of required members are checked in a loop; otherwise there would be code for each of them.
        loopRequired: 20,
        formats: FORMATS,
        // Optimising takes five times as long as compiling, without any gain.
        code: { regExp, optimize: false }
    });
    // ajv's own tracking of evaluated properties fails for patterns inside of conditions.
    Object.assign(ajv.opts, { unevaluated: false });
    [...REPLACED_KEYWORDS, ...LENGTH_KEYWORDS, ...CALLED_KEYWORDS].forEach((keyword) => ajv.removeKeyword(keyword));
    return ajv;
}
