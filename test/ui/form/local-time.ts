/** Local times in fields of forms, in time zones that began in the 19th century. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { localTime } from '../../../ui/src/form/model/local-time.js';

export const lab = Lab.script();
const { describe, it, after } = lab;

const ZONES = ['Europe/Berlin', 'Europe/Paris', 'America/New_York', 'Asia/Tokyo', 'Asia/Kolkata', 'UTC'];

/** A year that is typed digit by digit, others before and after the time zones, seconds and their parts. */
const TIMES = [
    '0002-05-01T12:00:00', '0020-05-01T12:00:00', '0202-05-01T12:00:00', '2024-05-01T12:00:00', '1850-12-31T23:59:59', '1970-01-01T00:00:00', '2024-05-01T12:00:30',
    '2024-05-01T00:00:00.001', '2024-05-01T12:34:56.780'
];

describe('local times', () => {

    const { TZ } = process.env;

    after(() => {

        if (TZ === undefined) {
            delete process.env['TZ'];
        }
        else {
            process.env['TZ'] = TZ;
        }
    });

    for (const zone of ZONES) {
        it(`are those that were entered in ${zone}`, () => {

            process.env['TZ'] = zone;

            expect(TIMES.map((local) => localTime(new Date(local).toISOString()))).to.equal(TIMES);
        });
    }

    it('are none of other texts', () => {

        expect(['', 'soon'].map(localTime)).to.equal(['', '']);
    });
});
