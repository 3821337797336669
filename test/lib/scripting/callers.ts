/** How scripts of several callers share the threads. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import { DoipError } from '../../../lib/errors/errors.js';
import { ScriptError } from '../../../lib/scripting/protocol/script-error.js';
import { CodeValidator } from '../../../lib/scripting/hooks/code-validator.js';
import { ANONYMOUS } from '../../../lib/model/caller.js';
import { SCHEMA_TYPE } from '../../../lib/types/built-in-types.js';
import { REFUSING_HOST, testPool, unitOf, worldOf } from '../../support/scripts.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the fairness between callers of scripts', () => {

    const loop = unitOf('exports.run = () => { for (;;); }', 'Loop');
    const quick = unitOf('exports.run = () => "done"', 'Quick');

    it('keeps one caller with endless loops from taking all threads', async () => {

        const shared = testPool({ workers: 2, timeout: 60_000 });
        try {
            await shared.returned('', { unit: quick });
            const loops = Array.from({ length: 5 }, () => shared.failure('', { unit: loop, callerKey: 'greedy' }).catch((error: unknown) => error));
            const first = await Promise.race([shared.returned('', { unit: quick, callerKey: 'modest' }), ...loops]);

            expect<unknown>(first).to.equal('done');
            await shared.close();
            await Promise.all(loops);
        }
        finally {
            await shared.close();
        }
    });

    for (const workers of [1, 2, 3]) {
        it(`serves a caller while two others occupy all of ${workers} threads`, async () => {

            const shared = testPool({ workers, timeout: 60_000 });
            try {
                const loops = ['a', 'b'].flatMap((callerKey) => Array.from({ length: 6 }, () => (
                    shared.failure('', { unit: loop, callerKey }).catch((error: unknown) => error)
                )));
                const answers = await Promise.race([
                    Promise.all(Array.from({ length: 3 }, () => shared.returned('', { unit: quick, callerKey: 'c' }))), ...loops
                ]);

                expect<unknown>(answers).to.equal(['done', 'done', 'done']);
                await shared.close();
                await Promise.all(loops);
            }
            finally {
                await shared.close();
            }
        });
    }

    it('answers a caller after the loops of others have ended', async () => {

        const shared = testPool({ workers: 2, timeout: 10_000 });
        try {
            await Promise.all(['a', 'b'].map((callerKey) => shared.returned('', { unit: quick, callerKey })));
            const loops = ['a', 'b'].map((callerKey) => shared.failure('', { unit: loop, callerKey }));
            const answers = ['c', 'd'].map((callerKey) => shared.returned('', { unit: quick, callerKey }).catch((error: unknown) => error));

            // On a machine that is busy with other things what came late may be ended, too; but nothing waits for ever.
            const late = (await Promise.all(answers)).filter((answer) => answer !== 'done');
            expect(late.every((error) => error instanceof ScriptError || error instanceof DoipError)).to.be.true();
            await until(async () => await shared.returned('', { unit: quick, callerKey: 'e' }).catch(() => null) === 'done');
            expect((await Promise.all(loops)).map(({ kind }) => kind)).to.equal(['limit', 'limit']);
        }
        finally {
            await shared.close();
        }
    });

    it('lets the check of code that is saved wait among the scripts of its author', async () => {

        const shared = testPool({ workers: 1, timeout: 60_000 });
        const validator = new CodeValidator({
            pool: shared.pool, scripts: { program: worldOf([quick]) }, host: () => REFUSING_HOST, log: pino({ level: 'silent' }), elements: { open: async function *() {} }
        });
        const author = { ...ANONYMOUS, userId: 'author' };
        const check = (_: unknown, i: number): Promise<unknown> => {

            const content = { name: `S${i}`, javascript: `for (;;); // ${i}` };
            const metadata = { createdOn: 0, createdBy: 'author', modifiedOn: 0, modifiedBy: 'author', txnId: i };
            const after = { id: `test/s${i}`, type: SCHEMA_TYPE, content, acl: null, userMetadata: null, metadata, elements: [] };
            return Promise.resolve(validator.inspect({ before: null, after, processed: null, caller: author })).catch((error: unknown) => error);
        };

        try {
            const checks = Array.from({ length: 250 }, check);

            expect<unknown>(await shared.returned('', { unit: quick, callerKey: '' })).to.equal('done');
            await shared.close();
            await Promise.all(checks);
        }
        finally {
            await shared.close();
        }
    });

    it('rejects a caller with too many waiting calls', async () => {

        const shared = testPool({ workers: 1, timeout: 300 });
        try {
            const calls = Array.from({ length: 250 }, () => shared.failure('', { unit: loop }).then(() => 'ended', (error: unknown) => error));
            const errors = (await Promise.all(calls)).filter((error) => error instanceof DoipError);

            const codes = new Set(errors.map(({ http }) => http));
            expect([...codes].sort()).to.equal([429, 503]);
        }
        finally {
            await shared.close();
        }
    });
});
