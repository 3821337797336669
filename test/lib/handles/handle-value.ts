import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonValue } from '../../../lib/util/json-types.js';
import { adminValue, freeIndex, parseIdentity, readValues, textValue, timestampOf } from '../../../lib/handles/handle-value.js';

export const lab = Lab.script();
const { describe, it } = lab;

const NOW = '2024-05-01T10:20:30Z';

describe('handle values', () => {

    it('have times without fractions of a second', () => {

        expect(timestampOf(Date.UTC(2024, 4, 1, 10, 20, 30, 987))).to.equal(NOW);
    });

    it('grant all rights to the administrator of the handle', () => {

        expect<unknown>(adminValue({ index: 300, handle: '20.500.1/admin' }, NOW)).to.equal({
            index: 100, type: 'HS_ADMIN', ttl: 86400, timestamp: NOW,
            data: { format: 'admin', value: { handle: '20.500.1/admin', index: 300, permissions: '111111111111' } }
        });
    });

    for (const [text, expected] of [
        ['300:20.500.1/admin', { index: 300, handle: '20.500.1/admin' }],
        ['0:0.NA/20.500.1', { index: 0, handle: '0.NA/20.500.1' }],
        ['20.500.1/admin', null], ['300:admin', null], ['x:20.500.1/admin', null], ['300:', null], ['', null], ['4294967296:a/b', null]
    ] as const) {
        it(`have the identity ${JSON.stringify(expected)} for ${JSON.stringify(text)}`, () => {

            expect<unknown>(parseIdentity(text)).to.equal(expected);
        });
    }

    it('get the smallest free index', () => {

        const at = (...indexes: number[]): number => freeIndex(indexes.map((index) => textValue(index, 'T', 'x', NOW)));

        expect([at(), at(100), at(1), at(100, 2, 1), at(2, 3)]).to.equal([1, 1, 2, 3, 1]);
    });

    it('are read from the result of a script, with omitted members', () => {

        const values = readValues([
            { index: 1, type: 'URL', data: { format: 'string', value: 'https://example.org/' }, ttl: 60, timestamp: '2020-01-01T00:00:00Z' },
            { index: 2, type: 'EMAIL', data: 'a@example.org' },
            { index: 7, type: 'X', data: { format: 'vlist', value: [{ index: 1, handle: 'a/b' }] }, ttl: -1, extra: true }
        ], NOW);

        expect<unknown>(values).to.equal([
            { index: 1, type: 'URL', data: { format: 'string', value: 'https://example.org/' }, ttl: 60, timestamp: '2020-01-01T00:00:00Z' },
            { index: 2, type: 'EMAIL', data: { format: 'string', value: 'a@example.org' }, ttl: 86400, timestamp: NOW },
            { index: 7, type: 'X', data: { format: 'vlist', value: [{ index: 1, handle: 'a/b' }] }, ttl: 86400, timestamp: NOW }
        ]);
    });

    const good = { index: 1, type: 'T', data: 'x' };
    const faults: [JsonValue | undefined, RegExp][] = [
        [undefined, /must be an array/], [null, /must be an array/], [{ 0: good }, /must be an array/],
        [[null], /value 0 must have an index/], [[good, { ...good, index: '2' }], /value 1 must have an index/],
        [[{ ...good, index: 0 }], /must have an index/], [[{ ...good, index: 2 ** 31 }], /must have an index/],
        [[{ ...good, index: 1.5 }], /must have an index/], [[{ ...good, type: '' }], /must have a type/], [[{ index: 1, data: 'x' }], /must have a type/],
        [[{ index: 1, type: 'T' }], /data of handle value 0/], [[{ ...good, data: { format: 'string' } }], /data of handle value 0/],
        [[{ ...good, data: { value: 'x' } }], /data of handle value 0/], [[{ ...good, data: 1 }], /data of handle value 0/],
        [[good, good], /the same index/]
    ];
    for (const [list, message] of faults) {
        it(`are rejected when they are ${JSON.stringify(list)}`, () => {

            expect(() => readValues(list, NOW)).to.throw(message);
        });
    }
});
