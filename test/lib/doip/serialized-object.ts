/** Objects that go out as the texts that they are made of: in each form the text is what writing the read object would give. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { digitalObjectText, plainObject, SerializedObject } from '../../../lib/doip/serialized-object.js';
import { LazyStoredObject } from '../../../lib/model/lazy-stored-object.js';
import { toDigitalObject } from '../../../lib/model/stored-object.js';
import { projectResult, resultText } from '../../../translators/rest/mapping/search-results.js';
import { randomSource, randomValue } from '../../support/random-json.js';

export const lab = Lab.script();
const { describe, it } = lab;

const random = randomSource(20_260);

const AWKWARD = ['test/1', 'a "quoted" id', 'back\\slash', 'ünï/ \u2028', 'line\nbreak'];

function some<T>(value: T): T | null {

    return random(2) === 0 ? null : value;
}

function randomObject(): JsonObject {

    const entries = [['id', AWKWARD[random(AWKWARD.length)] ?? ''], ['v', randomValue(random, 3)], ['responseContext', randomValue(random, 1)], ['__proto__', 1]];
    return Object.fromEntries(entries.filter(() => random(3) > 0)) as JsonObject;
}

function randomText(): LazyStoredObject {

    const acl = some({ readers: AWKWARD.slice(random(3)), ...random(2) ? { writers: [] } : {} });
    const userMetadata = some(randomObject());
    return new LazyStoredObject({
        id: AWKWARD[random(AWKWARD.length)] ?? '', type: AWKWARD[random(AWKWARD.length)] ?? '',
        content: JSON.stringify(randomObject()),
        acl: acl && JSON.stringify(acl), userMetadata: userMetadata && JSON.stringify(userMetadata),
        metadata: {
            createdOn: 1, createdBy: 'admin', modifiedOn: 2, modifiedBy: AWKWARD[random(AWKWARD.length)] ?? '', txnId: random(1000),
            ...random(2) ? { hashes: { alg: 'SHA-256', full: 'ff' } } : {}, ...random(2) ? { isVersion: true, versionOf: 'test/tip' } : {}
        },
        elements: Array.from({ length: random(3) }, (_, i) => ({
            name: `${AWKWARD[random(AWKWARD.length)]}${i}`, filename: some('f "1".txt'), mediaType: some('text/plain'),
            size: random(1e6), blobId: 7, store: 'database', hash: some('ab')
        }))
    });
}

describe('a serialized object', () => {

    const views = [true, false].flatMap((full) => [undefined, ['/content/v', '/v', '/id'], ['']].map((filter) => ({ full, filter })));
    const rounds = 300;

    it('is parsed to the stored digital object when it is accessed', () => {

        for (let round = 0; round < rounds; ++round) {
            const text = randomText();
            const context = some({ score: random(1000) / 7 });
            const plain = toDigitalObject(text.read());
            const inResponse = context ? { responseContext: context } : {};
            const expected = { ...plain, attributes: { ...plain.attributes, ...inResponse }, ...inResponse };

            const written = text.toWritten(context);

            expect(written.text()).to.equal(JSON.stringify(expected));
            expect(JSON.stringify(written)).to.equal(JSON.stringify(expected));
            expect<unknown>(plainObject(written)).to.equal(expected);
            expect(digitalObjectText(expected)).to.equal(JSON.stringify(expected));
            expect(plainObject(plain) === plain).to.be.true();
        }
    });

    it('is written like any other object in every form of REST', () => {

        for (let round = 0; round < rounds; ++round) {
            const written = randomText().toWritten(some({ score: 0.25 }));
            const plain = plainObject(written) as unknown as JsonValue;
            for (const view of views) {
                expect(resultText(written as unknown as JsonValue, view)).to.equal(JSON.stringify(projectResult(plain, view)));
            }
        }
    });

    it('is not parsed when it is only written', () => {

        const broken = new SerializedObject({ id: 'a', type: 'T', elements: [] }, {
            content: 'not JSON', acl: null, userMetadata: null, responseContext: null, metadata: { createdOn: 1, createdBy: 'a', modifiedOn: 1, modifiedBy: 'a' }
        });

        expect(resultText(broken as unknown as JsonValue, { full: true })).to.contain('"content":not JSON');
        expect(resultText(broken as unknown as JsonValue, { full: false })).to.equal('not JSON');
        expect(broken.text()).to.contain('"content":not JSON');
        expect(() => broken.attributes).to.throw(SyntaxError);
    });
});
