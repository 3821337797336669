/** The log: one line of JSON per event, without secrets, whatever is logged. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Log } from '../../../lib/logging/logger.js';
import { describeError, openLog } from '../../../lib/logging/logger.js';
import { internal } from '../../../lib/errors/errors.js';

export const lab = Lab.script();
const { describe, it } = lab;

const SECRET = 'Geheimnis';

function capture(level = 'info'): { log: Log; lines: string[] } {

    const lines: string[] = [];
    return { log: openLog({ level }, { write: (line: string) => lines.push(line) }), lines };
}

describe('the logger', () => {

    it('writes a line of JSON with time, level by name and fields', () => {

        const { log, lines } = capture();

        log.logger.info({ objects: 3 }, 'indexed');

        expect(lines).to.have.length(1);
        expect(lines[0]).to.match(/^\{.*\}\n$/);
        const { time, ...rest } = JSON.parse(lines[0] ?? '') as { time: string };
        expect(rest).to.equal({ level: 'info', objects: 3, msg: 'indexed' });
        expect(new Date(time).getTime()).to.be.above(1_600_000_000_000);
    });

    it('omits lower levels', () => {

        const { log, lines } = capture('warn');

        log.logger.info('quiet');
        log.logger.warn('loud');

        expect(lines).to.have.length(1);
    });

    it('writes an event on one line, with any content', () => {

        const { log, lines } = capture();

        log.logger.info({ name: 'a\nb\r\n{"level":"fatal"}' }, 'x\ny');

        expect(lines).to.have.length(1);
        expect(lines[0]?.trimEnd()).to.not.include('\n');
    });

    const fields: [title: string, value: object][] = [
        ['a password', { password: SECRET }],
        ['a password one level down', { request: { password: SECRET } }],
        ['credentials', { authentication: { username: 'a', password: SECRET } }],
        ['a token', { caller: { token: SECRET } }],
        ['headers', { headers: { authorization: SECRET, cookie: SECRET } }],
        ['the address of a database', { databaseUrl: `mysql://u:${SECRET}@h/d` }],
        ['an error that carries a request', { err: Object.assign(new Error('no'), { request: { password: SECRET }, sql: SECRET, config: { auth: SECRET } }) }]
    ];

    for (const [title, value] of fields) {
        it(`redacts secrets in ${title}`, () => {

            const { log, lines } = capture();

            log.logger.error(value, 'event');

            expect(lines[0]).to.not.include(SECRET);
        });
    }

    it('writes the causes of an error', () => {

        const cause = Object.assign(new Error('disk full'), { code: 'ENOSPC' });

        const described = describeError(internal(new Error('write failed', { cause }))) as { cause: { cause: object } };

        expect(described).to.include({ type: 'DoipError', status: '0.DOIP/Status.500' });
        expect(described.cause).to.include({ type: 'Error', message: 'write failed' });
        expect(described.cause.cause).to.include({ message: 'disk full', code: 'ENOSPC' });
    });

    it('stops at a cycle of causes', () => {

        const first = new Error('first');
        const second = new Error('second', { cause: first });
        first.cause = second;

        expect(JSON.stringify(describeError(first)).length).to.be.below(20_000);
    });

    for (const thrown of ['text', 7, null, undefined, { password: SECRET }]) {
        it(`describes a thrown ${JSON.stringify(thrown)}`, () => {

            const described = JSON.stringify(describeError(thrown));

            expect(described).to.not.include(SECRET);
            expect(described).to.include('message');
        });
    }
});
