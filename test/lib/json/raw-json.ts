/** The text of values that are sent again and again. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { jsonText, rawJson, storedText, withText } from '../../../lib/json/raw-json.js';
import { parseJson } from '../../../lib/json/strict-parser.js';
import type { JsonObject } from '../../../lib/util/json-types.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the text of a value', () => {

    it('is made once for a shared value, when it is needed', () => {

        const value: JsonObject = { a: 1 };

        expect(withText(value) === value).to.be.true();
        expect<unknown>(rawJson(value)).to.be.undefined();
        expect(jsonText(value)).to.equal('{"a":1}');

        value['a'] = 2;                     // Which nothing does: it shows where the text is from

        expect(jsonText(withText(value))).to.equal('{"a":1}');
    });

    it('is made each time for other values', () => {

        const value: JsonObject = { a: 1 };
        const first = jsonText(value);
        value['a'] = 2;

        expect([first, jsonText(value)]).to.equal(['{"a":1}', '{"a":2}']);
    });

    it('has numbers as they were sent', () => {

        const value = withText(parseJson(Buffer.from('{"a":{"b":1.10}}'), { name: 'x' }) as JsonObject);

        expect([jsonText(value), jsonText(value), storedText(value)]).to.equal(['{"a":{"b":1.10}}', '{"a":{"b":1.10}}', ' {"a":{"b":1.10}}']);
    });
});
