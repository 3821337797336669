/** Hashing of passwords: records, imports, turns and bounds. */

import { pbkdf2Sync } from 'node:crypto';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DoipError } from '../../../../lib/errors/errors.js';
import { importRecord, matchesRecord, parseRecord } from '../../../../lib/identity/passwords/password-hash.js';
import { PasswordHasher } from '../../../../lib/identity/passwords/password-hasher.js';
import { QUICK } from '../../../support/gateway.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

function imported(password: string, iterations?: number): string {

    const salt = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
    const hash = pbkdf2Sync(password, Buffer.from(salt, 'hex'), iterations ?? 2048, 32, 'sha1').toString('hex');
    return JSON.stringify(importRecord({ hash, salt, ...iterations === undefined ? {} : { iterations } }));
}

describe('the password hasher', () => {

    const passwords = new PasswordHasher({ cost: QUICK });

    it('stores scrypt hashes with their parameters and a random salt', async () => {

        const [one, two] = [await passwords.hash('secret', 'a'), await passwords.hash('secret', 'a')];

        expect(JSON.parse(one)).to.include({ algorithm: 'scrypt', cost: 1024, blockSize: 1, parallelization: 1 });
        expect(one).to.not.contain('secret');
        expect(one).to.not.equal(two);
    });

    const checks: readonly (readonly [title: string, password: string, record: () => Promise<string | null>, expected: object])[] = [
        ['accepts the right password', 'secret', () => passwords.hash('secret', 'a'), { matches: true, outdated: false }],
        ['accepts any characters', 'pä€😀 \u0001x', () => passwords.hash('pä€😀 \u0001x', 'a'), { matches: true, outdated: false }],
        ['rejects a wrong password', 'Secret', () => passwords.hash('secret', 'a'), { matches: false, outdated: false }],
        ['rejects the empty password', '', () => passwords.hash('secret', 'a'), { matches: false, outdated: false }],
        ['rejects everything without a record', 'secret', async () => null, { matches: false, outdated: false }],
        ['rejects a password that is too long instead of truncating it', 'x'.repeat(2000), () => passwords.hash('x'.repeat(1000), 'a'),
            { matches: false, outdated: false }],
        ['rejects everything by a malformed record', 'secret', async () => '{"algorithm":"md5","salt":"x","hash":"0123456789abcdef"}',
            { matches: false, outdated: false }],
        ['reports a record of another cost', 'secret', () => new PasswordHasher({ cost: { ...QUICK, cost: 512 } }).hash('secret', 'a'),
            { matches: true, outdated: true }],
        ['verifies imported PBKDF2 records and reports them as outdated', 'secret', async () => imported('secret', 10_000),
            { matches: true, outdated: true }],
        ['verifies imported records without iterations', 'secret', async () => imported('secret'), { matches: true, outdated: true }],
        ['rejects a wrong password by an imported record', 'wrong', async () => imported('secret'), { matches: false, outdated: false }]
    ];

    for (const [title, password, record, expected] of checks) {
        it(title, async () => {

            expect(await passwords.check(password, await record(), 'a')).to.equal(expected);
        });
    }

    it('takes about the same time for a wrong password, an unknown user and an imported record', async () => {

        const costly = new PasswordHasher({ cost: { cost: 8192, blockSize: 8, parallelization: 2 } });
        const records = [await costly.hash('secret', 'a'), null, imported('secret')];
        const times: number[] = [];
        for (const record of records) {
            const runs = [];
            for (let i = 0; i < 5; ++i) {
                const elapsed = processorTime();
                await costly.check('wrong', record, `a${i}`);  // Who is wrong often has to rest
                runs.push(elapsed());
            }

            times.push(Math.min(...runs));
        }

        expect(Math.max(...times) / Math.min(...times)).to.be.below(3);
    });

    it('does not block the event loop', async () => {

        const costly = new PasswordHasher({ cost: { cost: 16_384, blockSize: 8, parallelization: 5 } });
        let turns = 0;
        const timer = setInterval(() => ++turns, 1);

        await costly.check('wrong', null, 'a');
        clearInterval(timer);

        expect(turns).to.be.above(5);
    });

    it('rejects a password that is too long', async () => {

        const error = await expect(passwords.hash('ä'.repeat(600), 'a')).to.reject(DoipError, 'a password or secret may have at most 1024 bytes');

        expect(error.status).to.equal('0.DOIP/Status.101');
    });
});

describe('password records', () => {

    const broken: readonly (readonly [string, string])[] = [
        ['no JSON', 'secret'], ['no object', '"x"'], ['no hash', '{"algorithm":"scrypt","salt":"x"}'],
        ['no parameters', '{"algorithm":"scrypt","salt":"xx","hash":"0123456789abcdef"}'],
        ['an empty hash, which would match everything', '{"algorithm":"PBKDF2WithHmacSHA1","iterations":1,"salt":"00","hash":""}'],
        ['a negative count', '{"algorithm":"PBKDF2WithHmacSHA1","iterations":-1,"salt":"00","hash":"0123456789abcdef"}']
    ];

    for (const [title, text] of broken) {
        it(`are not read from ${title}`, () => {

            expect<unknown>(parseRecord(text)).to.be.null();
        });
    }

    it('are imported from hexadecimal hashes only', async () => {

        const record = importRecord({ hash: '0123456789abcdef', salt: '0123456789abcdef', iterations: 1 });

        expect(await matchesRecord('x', record!)).to.be.false();
        expect<unknown>(importRecord({ hash: 'no hex in here!!', salt: '0123456789abcdef' })).to.be.null();
        expect<unknown>(importRecord({ hash: '0123456789abcdef', salt: '0123456789abcdef', iterations: '1' })).to.be.null();
        expect<unknown>(importRecord({})).to.be.null();
    });
});
