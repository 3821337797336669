import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { isUnstable, supportEnd } from '../../../lib/util/node-support.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the support of a version of Node', () => {

    const CASES: readonly [version: string, day: string, end: string | null][] = [
        ['20.20.2', '2026-04-30', null],
        ['20.20.2', '2026-05-01', '2026-04-30'],
        ['22.0.0', '2026-05-01', null],
        ['23.1.0', '2026-05-01', '2025-06-01'],
        ['99.0.0', '2099-01-01', null]
    ];

    for (const [version, day, end] of CASES) {
        it(`${end === null ? 'has not ended' : 'has ended'} for ${version} on ${day}`, () => {

            expect(supportEnd(version, Date.parse(`${day}T12:00:00Z`))).to.equal(end);
        });
    }

    it('is not stable with the embedded database on Node 24 alone', () => {

        expect(['20.20.2', '22.0.0', '24.21.0', '26.0.0', '240.0.0'].filter(isUnstable)).to.equal(['24.21.0']);
    });
});
