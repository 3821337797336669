/** An operation of one's own. What stands below the first line is shown in docs/extending.md. */

import Joi from 'joi';
import { defineOperation, result, type Gateway } from '../../lib/index.js';

interface WordCountAttributes {
    readonly minLength: number;
}

export const wordCount = defineOperation<WordCountAttributes>({
    id: '20.500.123/Op.WordCount',
    summary: 'count the words in the text properties of an object',
    target: 'object',
    methods: ['GET', 'POST'],
    authorise: 'reader',
    attributes: Joi.object<WordCountAttributes>({ minLength: Joi.number().integer().min(1).default(1) }),
    resultSchema: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },

    async handler({ target, attributes }) {

        const texts = Object.values(target.content).filter((value): value is string => typeof value === 'string');
        const words = texts.filter((text) => text !== target.id).join(' ').match(/\p{L}+/gu) ?? [];
        return result.json({ words: words.filter((word) => word.length >= attributes.minLength).length });
    }
});

export function registerWordCount(gateway: Gateway): void {

    gateway.registerOperation(wordCount);
}
