import { statfsSync } from 'node:fs';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { configure } from '../../lib/config/index.js';
import { gatewayOptions } from '../../lib/app/options.js';
import { pino } from 'pino';
import { defaultMinFree, diskRules, reserveBytes } from '../../db/disk-space.js';
import { createSqlite } from '../support/database.js';

export const lab = Lab.script();
const { describe, it } = lab;

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

describe('the space that is kept free', () => {

    const cases: readonly (readonly [title: string, disk: number, minFree: number])[] = [
        ['of an empty disk is none', 0, 0],
        ['of 100 MiB is 5 %', 100 * MIB, 5 * MIB],
        ['of 1 GiB is 5 %, in whole bytes', GIB, 53_687_091],
        ['of 5 GiB less a block is 5 %, for the last time', 5 * GIB - 4096, 256 * MIB - 205],
        ['of 5 GiB is 256 MiB', 5 * GIB, 256 * MIB],
        ['of 16 TiB is 256 MiB', 16 * 1024 * GIB, 256 * MIB]
    ];
    for (const [title, disk, minFree] of cases) {
        it(title, () => {

            expect(defaultMinFree(disk)).to.equal(minFree);
        });
    }

    it('is the default for the disk of the folder, unless a number is set, 0 included', async () => {

        const place = await createSqlite();
        const { dataDir } = place.options;
        const { blocks, bsize } = statfsSync(dataDir);

        expect(diskRules(dataDir).minFree).to.equal(defaultMinFree(blocks * bsize));
        expect(diskRules(dataDir, null).minFree).to.equal(defaultMinFree(blocks * bsize));
        expect([0, 5 * MIB].map((minFree) => diskRules(dataDir, minFree).minFree)).to.equal([0, 5 * MIB]);
        await place.dispose();
    });

    it('is left to that default by the configuration', () => {

        const given = (settings: Record<string, unknown>): unknown => gatewayOptions(configure(settings), pino({ level: 'silent' })).minFreeBytes;

        expect(given({}) ?? null).to.be.null();
        expect([given({ MIN_FREE_BYTES: '0' }), given({ MIN_FREE_BYTES: '1000' })]).to.equal([0, 1000]);
    });

    it('is held by a file of a quarter of it, of at most 8 MiB', () => {

        expect([4 * MIB, 32 * MIB, 256 * MIB].map((minFree) => reserveBytes({ folder: '', minFree }))).to.equal([MIB, 8 * MIB, 8 * MIB]);
    });
});
