/**
 * `maxLength` and `minLength`, which count characters beyond U+FFFF as one. ajv counts those of each text for each keyword; here the number of
 * code units decides where it can, and what is counted is charged to the time budget.
 */

import type { CodeKeywordDefinition } from 'ajv';
import { _ } from 'ajv';
import { spend } from '../../util/concurrency/time-budget.js';

/** Keywords that are removed from ajv because those of this file replace them. */
export const LENGTH_KEYWORDS: readonly string[] = ['maxLength', 'minLength'];

/** Returns the keywords of this file. */
export function textLengths(): CodeKeywordDefinition[] {

    return [lengthKeyword('maxLength', isLonger), lengthKeyword('minLength', isShorter)];
}

function lengthKeyword(keyword: string, isWrong: (text: string, limit: number) => boolean): CodeKeywordDefinition {

    return {
        keyword,
        type: 'string',
        schemaType: 'number',
        error: { message: keyword, params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
        code: (context) => {

            const test = context.gen.scopeValue('func', { ref: isWrong });
            context.fail(_`${test}(${context.data}, ${context.schemaCode})`);
        }
    };
}

/** True for a text of more characters. */
export function isLonger(text: string, limit: number): boolean {

    return text.length > limit && (text.length > 2 * limit || charactersOf(text) > limit);
}

/** True for a text of fewer characters. */
export function isShorter(text: string, limit: number): boolean {

    return text.length < limit || (text.length < 2 * limit && charactersOf(text) < limit);
}

/** Counts characters; a pair of surrogates is one. */
function charactersOf(text: string): number {

    spend(text.length);
    let count = text.length;
    for (let i = 1; i < text.length; ++i) {
        const isPair = (text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800;
        count -= isPair ? 1 : 0;
    }

    return count;
}
