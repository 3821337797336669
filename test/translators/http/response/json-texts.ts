/** Texts of thousands of types: made in parts that leave the event loop to others, and cached up to a size. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { parseJson } from '../../../../lib/json/strict-parser.js';
import { writeJson } from '../../../../lib/json/serializer.js';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { openApiDocument } from '../../../../translators/web/openapi/document.js';
import { componentName } from '../../../../translators/web/openapi/schemas.js';
import { descriptionPage } from '../../../../translators/web/openapi/page.js';
import { cachedText, jsonParts } from '../../../../translators/http/response/json-texts.js';
import { seeded } from '../../../support/random.js';

export const lab = Lab.script();
const { describe, it } = lab;

function typesOf(count: number): JsonObject {

    const properties = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`p${n}`, { type: 'string', title: `</script><b>${n}` }]));
    return Object.fromEntries(Array.from({ length: count }, (_, n) => [`Type ${n}`, { type: 'object', properties }]));
}

const documentOf = (types: JsonObject): JsonObject => openApiDocument({ id: 'test/service', operations: [], types, methods: [] }, '/base');

async function textFrom(texts: AsyncIterable<string>): Promise<string> {

    let text = '';
    for await (const each of texts) {
        text += each;
    }

    return text;
}

describe('a long text', () => {

    for (const indent of [0, 2]) {
        it(`is that of its JSON with an indentation of ${indent}, whatever the names of types`, () => {

            const types = Object.fromEntries([
                ['__proto__', { type: 'object' }], ['constructor', true], ['', false], ['</script>', {}], ['\u0000\u2028"', { title: 'line\nfeed' }],
                ['toJSON', { toJSON: 'x', properties: {} }], ['$ref', { $ref: 'file:///etc/passwd' }]
            ]) as JsonObject;
            const document = documentOf(types);

            expect([...jsonParts(document, { depth: 3, indent })].join('')).to.equal(JSON.stringify(document, null, indent));
        });
    }

    it('has numbers as they were sent, at any depth', () => {

        const text = '{"a":1.10,"b":{"c":{"d":{"e":[2.50]},"f":1e2},"g":12345678901234567890},"h":[3.0]}';
        const value = parseJson(Buffer.from(text), { name: 'x' });

        for (let depth = 0; depth < 6; ++depth) {
            expect([...jsonParts(value, { depth, indent: 0 })].join('')).to.equal(text);
            expect([...jsonParts(value, { depth, indent: 2 })].join('')).to.equal(writeJson(value, 2));
        }
    });

    it('has a component of its own for each name of a type', () => {

        const random = seeded(7);
        const alphabet = ['a', '_', '5', 'f', '62', '_5f', '\u5f62', '\ud83d', '\ude00', '/', '__proto__'];
        const names = new Set(Array.from({ length: 20_000 }, () => Array.from({ length: random.integer(0, 4) }, () => random.pick(alphabet)).join('')));

        expect(new Set([...names].map((name) => componentName(name))).size).to.equal(names.size);
        expect([...names].every((name) => /^[\w.-]+$/.test(componentName(name)))).to.be.true();
    });

    it('is made while others have their turns, with thousands of types', async () => {

        const document = documentOf(typesOf(2000));
        for (const parts of [() => jsonParts(document, { depth: 3, indent: 0 }), () => descriptionPage(document, '')]) {
            let turns = 0;
            let isOver = false;
            const others = (async () => {

                while (!isOver) {
                    await nextTurn();
                    turns += 1;
                }
            })();
            const text = await textFrom(cachedText({}, 'x', parts));
            isOver = true;
            await others;

            expect(text.length).to.be.above(2_000_000);
            expect(turns).to.be.above(Math.floor(text.length / 100_000));
        }
    });

    it('is made once, unless it is large or the description is another one', async () => {

        let count = 0;
        const make = (length: number): (() => string[]) => {

            return () => {

                count += 1;
                return ['x'.repeat(length)];
            };
        };

        const [first, second] = [{}, {}];
        for (const [description, form, length] of [[first, 'a', 10], [first, 'a', 10], [first, 'b', 20], [second, 'a', 30], [second, 'a', 30]] as const) {
            expect((await textFrom(cachedText(description, form, make(length)))).length).to.equal(length);
        }

        expect(count).to.equal(3);

        await textFrom(cachedText(first, 'large', make(5_000_000)));
        await textFrom(cachedText(first, 'large', make(5_000_000)));

        expect(count).to.equal(5);
    });

    it('is not cached when its reader leaves before the end', async () => {

        const description = {};
        const parts = () => ['a'.repeat(70_000), 'b'];
        await cachedText(description, 'x', parts).next();
        const left = cachedText(description, 'x', parts);
        await left.next();
        await left.return(undefined);

        expect(await textFrom(cachedText(description, 'x', parts))).to.equal(`${'a'.repeat(70_000)}b`);
    });
});
