/** What `require` finds. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { resolveModule } from '../../../lib/scripting/program/module-resolver.js';
import { withUnit } from '../../../lib/scripting/protocol/program.js';
import type { TestPool } from '../../support/scripts.js';
import { testPool, unitOf, worldOf } from '../../support/scripts.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

let pool: TestPool;

before(() => {

    pool = testPool();
});

after(async () => {

    await pool.close();
});

describe('a module name', () => {

    const world = worldOf([unitOf('')], {
        '/lib/x.js': '', '/lib/y.json': '{}', '/lib/z/index.js': '', '/lib/plain': '', '/node_modules/util.js': '', '/node_modules/@a/b/index.js': '',
        '/lib/node_modules/near.js': '', '/lib/node_modules/util.js': '', '/cordra/schemas/Document.schema.json': '{}'
    });
    const cases: readonly (readonly [from: string, specifier: string, expected: string | undefined])[] = [
        ['/lib/a.js', './x', '/lib/x.js'],
        ['/lib/a.js', './x.js', '/lib/x.js'],
        ['/lib/deep/er/a.js', '../../x', '/lib/x.js'],
        ['/lib/a.js', './y', '/lib/y.json'],
        ['/lib/a.js', './z', '/lib/z/index.js'],
        ['/lib/a.js', './z/', '/lib/z/index.js'],
        ['/lib/z/index.js', '..', undefined],
        ['/lib/z/index.js', '.', '/lib/z/index.js'],
        ['/lib/a.js', './plain', '/lib/plain'],
        ['/lib/a.js', '/lib/x', '/lib/x.js'],
        ['/lib/a.js', 'util', '/lib/node_modules/util.js'],
        ['/other/a.js', 'util', '/node_modules/util.js'],
        ['/', 'util', '/node_modules/util.js'],
        ['/cordra/schemas/Document', 'util', '/node_modules/util.js'],
        ['/lib/deep/a.js', 'near', '/lib/node_modules/near.js'],
        ['/other/a.js', 'near', undefined],
        ['/other/a.js', '@a/b', '/node_modules/@a/b/index.js'],
        ['/lib/node_modules/near.js', 'util', '/lib/node_modules/util.js'],
        ['/lib/a.js', '../cordra/schemas/Document', '/cordra/schemas/Document'],
        ['/cordra/schemas/Document', './Document.schema.json', '/cordra/schemas/Document.schema.json'],
        ['/lib/a.js', '../../../../lib/x', '/lib/x.js'],
        ['/lib/a.js', 'missing', undefined],
        ['/lib/a.js', '', undefined],
        ['/lib/a.js', `./${'x'.repeat(5000)}`, undefined]
    ];
    for (const [from, specifier, expected] of cases) {
        it(`resolves to ${String(expected)}: ${specifier.slice(0, 40)} in ${from}`, () => {

            expect(resolveModule(world, from, specifier)?.name).to.equal(expected);
        });
    }
});

describe('the function require', () => {

    it('returns exports of scripts and values of JSON, each loaded once', async () => {

        const outcome = await pool.returned(`
            const a = require('../../lib/a'), data = require('/lib/data.json');
            exports.run = () => [a.name, data.list, require('/lib/a.js') === a, a.data === data, a.count];`, {
            modules: {
                '/lib/a.js': 'globalThis.loads = (globalThis.loads ?? 0) + 1; exports.name = "a"; exports.data = require("./data"); exports.count = loads;',
                '/lib/data.json': '{"list":[1]}'
            }
        });

        expect<unknown>(outcome).to.equal(['a', [1], true, true, 1]);
    });

    it('returns partial exports for circular dependencies', async () => {

        const outcome = await pool.returned('const a = require("/a"); exports.run = () => [a.done, a.seen];', {
            modules: {
                '/a.js': 'exports.done = false; exports.seen = require("./b").seen; exports.done = true;',
                '/b.js': 'exports.seen = require("./a").done;'
            }
        });

        expect<unknown>(outcome).to.equal([true, false]);
    });

    it('returns the code of other types, and schemas', async () => {

        const library = unitOf('exports.staticMethods = { f: (x) => x + 1 };', 'config');
        const unit = unitOf(`
            const config = require('/cordra/schemas/config'), schema = require('/cordra/schemas/Digital Specimen.schema.json');
            exports.run = () => [config.staticMethods.f(1), schema.title];`);
        const world = worldOf([library, unit], { '/cordra/schemas/Digital Specimen.schema.json': '{"title":"t"}' });

        expect<unknown>(await pool.returned('', { unit, program: world })).to.equal([2, 't']);
    });

    it('provides module, __filename and __dirname, and allows an early return', async () => {

        const outcome = await pool.returned('exports.run = require("/lib/x").run;', {
            modules: { '/lib/x.js': 'exports.run = () => [module.id, __filename, __dirname, module.loaded]; if (true) { return; } exports.run = null;' }
        });

        expect<unknown>(outcome).to.equal(['/lib/x.js', '/lib/x.js', '/lib', true]);
    });

    it('throws for a missing module, which a script may catch, and loads it later', async () => {

        const code = 'exports.run = () => { try { return require("./later").x; } catch (error) { return [error.code, error.message]; } }';
        const unit = unitOf(code);

        expect<unknown>(await pool.returned('', { unit, program: worldOf([unit], {}, '1') }))
            .to.equal(['MODULE_NOT_FOUND', `Cannot find module './later' required by /cordra/schemas/Document`]);
        expect<unknown>(await pool.returned('', { unit, program: worldOf([unit], { '/cordra/schemas/later.js': 'exports.x = 5' }, '2') })).to.equal(5);
    });

    it('throws the errors of the other module, with positions in its source', async () => {

        const modules = { '/lib/x.js': 'exports.f = () => {\n    throw new Error("in x");\n};', '/lib/wrong.js': '\nlet = 5 5;' };

        expect<unknown>(await pool.failure('const x = require("/lib/x");\nexports.run = () => x.f();', { modules })).to.equal({
            kind: 'error', message: 'in x', stack: '    at <anonymous> (/lib/x.js:2:20)\n    at <anonymous> (/cordra/schemas/Document:2:24)'
        });
        const failure = await pool.failure('exports.run = () => require("/lib/wrong");', { modules });
        expect(failure.kind === 'error' && failure.stack.startsWith('    at /lib/wrong.js:2:')).to.be.true();
    });

    it('finds modules in their state at the start of the call', async () => {

        let go = (_: null): void => {};
        const gate = new Promise<null>((resolve) => {

            go = resolve;
        });
        let asked = 0;
        const unit = unitOf('exports.run = () => { require("cordra").get("x"); return require("./part"); };');
        const worldAt = (n: number): ReturnType<typeof worldOf> => worldOf([unit], { '/cordra/schemas/part': `module.exports = ${n}` }, `state ${n}`);
        const host = {
            get: (): Promise<null> => {

                ++asked;
                return gate;
            }
        };
        const before = pool.returned('', { unit, program: worldAt(1), host });
        await until(() => asked === 1);
        const after = await pool.returned('', { unit, program: worldAt(2), host: { get: () => Promise.resolve(null) }, callerKey: 'other' });
        go(null);

        expect<unknown>([await before, after]).to.equal([1, 2]);
        // In whichever thread it is run now.
        const calls = ['one', 'two'].map((callerKey) => pool.returned('', { unit, program: worldAt(2), host, callerKey }));
        expect<unknown>(await Promise.all(calls)).to.equal([2, 2]);
    });

    it('uses code that is about to be saved instead of the stored one', async () => {

        const stored = unitOf('exports.run = () => "old"');
        const fresh = unitOf('exports.run = () => require("./Document") === module.exports && "new"');

        expect<unknown>(await pool.returned('', { unit: fresh, program: withUnit(worldOf([stored]), fresh, 'tried') })).to.equal('new');
    });
});
