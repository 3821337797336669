/** Queries of fields for objects. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { objectQuery, quoted } from '../../../ui/src/components/object-query.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('queries for objects by the beginnings of words', () => {

    it('demand a word for each word of the text, or its id', () => {

        expect(objectQuery('Thomas Har')).to.equal('+((+thomas* +har*) id:"Thomas Har")');
        expect(objectQuery('test/a-1')).to.equal('+((+test* +a* +1*) id:"test/a-1")');
    });

    it('match all objects without a text', () => {

        expect(objectQuery('')).to.equal('+(*:*)');
        expect(objectQuery(' *?( ')).to.equal('+(*:*)');
    });

    it('are limited to types, and away from others', () => {

        expect(objectQuery('', { types: ['A', 'B "c"'], excludeTypes: ['D'] })).to.equal('+(*:*) +(type:"A" type:"B \\"c\\"") -type:"D"');
    });

    it('are limited to ids with a beginning', () => {

        expect(objectQuery('a', { prefix: 'test/' })).to.equal('+((+a*) id:"a") +id:test/*');
        expect(objectQuery('', { prefix: 'a b:"c*' })).to.equal('+(*:*) +id:a\\ b\\:\\"c\\**');
    });

    it('have no more than eight words', () => {

        expect(objectQuery('a b c d e f g h i j').match(/\+\w\*/g)).to.have.length(8);
    });

    it('quote what would end a word', () => {

        expect(quoted('a\\"b')).to.equal('"a\\\\\\"b"');
    });
});
