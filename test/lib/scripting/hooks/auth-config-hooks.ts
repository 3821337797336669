/** Access rules that types make by `getAuthConfig`: what they open and close, and what counts when their code fails, on every database. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { account, ACCOUNT, basic, defineAccounts } from '../../../support/accounts.js';
import { forEachDatabase } from '../../../support/database.js';
import { ADMIN, startGateway, type TestGateway } from '../../../support/gateway.js';
import { changeCode, contentOf, startNodes, type Nodes } from '../../../support/type-code.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const FORBIDDEN = '0.DOIP/Status.103';
const ALL = 'create read write find';
const READER = 'read find';
const NONE = '';

/** What the log says of code that took too long, for whatever reason. */
const LATE = 'took too long';

/** An event in the log. */
interface Told {
    readonly event: string;
    readonly script?: string;
    readonly hook?: string;
    readonly reason: string;
}

/** What is stored with a type of these tests, where nothing else is said: everybody reads. */
const STORED: JsonObject = { defaultAclRead: ['public'], defaultAclWrite: [], aclCreate: [] };

const OPENING = 'exports.getAuthConfig = () => ({ defaultAclRead: [], defaultAclWrite: ["authenticated"], aclCreate: ["authenticated"] });';
const CLOSING = 'exports.getAuthConfig = () => ({ defaultAclRead: [], defaultAclWrite: [], aclCreate: [] });';

forEachDatabase((name, create) => {

    describe(`access rules from hooks, on ${name},`, () => {

        let nodes: Nodes;
        let node: TestGateway;
        let number = 0;

        const log: string[] = [];

        before(async () => {

            nodes = await startNodes(create, { log: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }) });
            ({ node } = nodes);
            await defineAccounts(node);
            await node.create(ACCOUNT, account('user'));
        });

        after(() => nodes.stop());

        /** A type with one object. */
        async function define(javascript: string, authConfig: JsonObject | null = STORED): Promise<{ type: string; schemaId: string }> {

            const type = `Ruled${++number}`;
            const members: JsonObject = authConfig ? { authConfig } : {};
            const { id } = await node.create('Schema', { name: type, schema: { type: 'object' }, javascript, ...members });
            await node.create(type, {}, { id: `test/${type}` });
            // The other node's index follows in its own time; what is tested are rights.
            await until(async () => (await Promise.all(nodes.all.map((each) => finds(each, type, ADMIN)))).every(Boolean));
            return { type, schemaId: id };
        }

        /** Events in the log, each with its reason. */
        function told(): readonly Told[] {

            return log.map((line) => JSON.parse(line) as Told);
        }

        /** Messages in the log about the rules of a type. */
        function toldOf(type: string): string[] {

            return told().filter(({ event, script, hook }) => event === 'script.access-rules-failed' && script === `type ${type}` && hook === 'getAuthConfig')
                .map(({ reason }) => reason);
        }

        /**
         * What `ask` gives. Where the log says that the code of the type took too long, the machine may have been busy with other things: then
         * what it gives after an attempt in the background, which must be `expected`.
         */
        async function settled(type: string, expected: unknown, ask: () => Promise<unknown>): Promise<unknown> {

            let answer = await ask();
            if (answer !== expected && toldOf(type).some((reason) => reason.includes(LATE))) {
                await until(async () => {

                    answer = await ask();
                    return answer === expected;
                });
            }

            return answer;
        }

        /** Expects what a user who wrote nothing may do, in words, on all nodes. */
        async function expectRights(type: string, expected: string): Promise<void> {

            const ask = async (): Promise<string> => {

                const said = new Set<string>();
                for (const each of nodes.all) {
                    said.add(await rightsOn(each, type));
                }

                return [...said].join(', or ');
            };

            expect(await settled(type, expected, ask)).to.equal(expected);
        }

        /** Waits until the log tells something of the rules of a type, as it does in the end also where the code took too long for another reason. */
        async function expectTold(type: string, text: string): Promise<void> {

            if (toldOf(type).some((reason) => reason.includes(LATE))) {
                await until(() => toldOf(type).some((reason) => reason.includes(text)));
            }

            expect(toldOf(type).some((reason) => reason.includes(`type ${type}`) && reason.includes(text))).to.be.true();
        }

        it('open what stored rules close, for creating, reading, writing and searching', async () => {

            const { type } = await define(OPENING);

            await expectRights(type, ALL);
        });

        it('close what stored rules open', async () => {

            const { type } = await define(CLOSING, { defaultAclRead: ['public'], defaultAclWrite: ['public'], aclCreate: ['public'] });

            await expectRights(type, NONE);
        });

        it('take precedence over the entry of the design and its defaults', async () => {

            const { type } = await define(CLOSING, null);
            const { type: plain } = await define('exports.beforeDelete = () => {};', null);

            await expectRights(type, NONE);
            await expectRights(plain, 'create read find');
        });

        it('do not apply to types without the hook, or where it returns nothing', async () => {

            const codes = [
                'exports.methods = { hello: () => 1 };', '// getAuthConfig', 'function getAuthConfig() { throw new Error(); }',
                'exports.getAuthConfig = () => {};', 'exports.getAuthConfig = () => null;'
            ];
            const before = log.length;

            for (const code of codes) {
                const { type } = await define(code);
                await expectRights(type, READER);
            }

            // Where the machine is busy with other things, the rules of any type may take too long.
            const failed = told().slice(before).filter(({ event, reason }) => event !== 'script.access-rules-recovered' && !reason?.includes(LATE));
            expect(failed).to.equal([]);
        });

        it('are computed from the type and its stored rules, also with promises and modules', async () => {

            await node.create('Schema', { name: 'Library', schema: { type: 'object' }, javascript: 'exports.writers = ["authenticated"];' });
            const { type } = await define(`exports.getAuthConfig = async ({ type, objectId, authConfig }) => {
                await null;
                const { writers } = require('/cordra/schemas/Library');
                if (!objectId || !/^Ruled/.test(type)) { throw 'not told'; }
                return { ...authConfig, aclCreate: writers };
            };`);

            await expectRights(type, 'create read find');
        });

        it('follow changes of the code and its modules from the next request on', async () => {

            const { id: library } = await node.create('Schema', { name: 'Lists', schema: { type: 'object' }, javascript: 'exports.readers = ["public"];' });
            const { type, schemaId } = await define(OPENING);
            await expectRights(type, ALL);
            await changeCode(node, schemaId, `exports.getAuthConfig = () => ({ defaultAclRead: require('/cordra/schemas/Lists').readers });`);
            await expectRights(type, READER);
            await changeCode(node, library, 'exports.readers = [];');
            await expectRights(type, NONE);
            await changeCode(node, schemaId, '');
            await expectRights(type, READER);
        });

        it('apply to methods', async () => {

            const { type } = await define(`
                exports.methods = { open: () => 'yes', closed: () => 'no' };
                exports.getAuthConfig = () => ({ aclMethods: { instance: { open: ['public'] } } });
            `);

            const call = (method: string) => node.perform(method, { targetId: `test/${type}`, authentication: basic('user') });

            expect(await settled(type, 'yes', async () => (await call('open')).value)).to.equal('yes');
            expect((await call('closed')).status).to.equal(FORBIDDEN);
        });

        const failures: [title: string, code: string, text: string][] = [
            ['throws a text', 'exports.getAuthConfig = () => { throw "no rules today"; };', 'no rules today'],
            ['throws an error', 'exports.getAuthConfig = () => { undefined.member; };', 'undefined'],
            ['throws an error that is an answer', 'exports.getAuthConfig = () => { throw new (require("cordra").CordraError)("closed", 409); };', 'closed'],
            ['gives a list', 'exports.getAuthConfig = () => ["public"];', 'must be an object'],
            ['gives a text', 'exports.getAuthConfig = () => "public";', 'must be an object'],
            ['gives rules that are no lists', 'exports.getAuthConfig = () => ({ defaultAclWrite: "public", aclCreate: ["public"] });', '/defaultAclWrite'],
            ['gives entries that are no texts', 'exports.getAuthConfig = () => ({ aclCreate: ["public", 5] });', '/aclCreate/1'],
            ['gives wrong rules for methods', 'exports.getAuthConfig = () => ({ aclCreate: ["public"], aclMethods: { instance: { m: 5 } } });', '/aclMethods/instance/m'],
            ['asks the service', 'exports.getAuthConfig = () => ({ aclCreate: [require("cordra").get("design").type, "public"] });', 'cannot ask the service'],
            ['does not end', 'exports.getAuthConfig = () => { for (;;) {} };', LATE],
            ['never resolves', 'exports.getAuthConfig = () => new Promise(() => {});', ''],
            ['fills the memory', 'exports.getAuthConfig = () => { const all = []; for (;;) { all.push(new Array(1e5).fill(1)); } };', ''],
            ['calls itself without end', 'const f = () => [f()]; exports.getAuthConfig = f;', '']
        ];

        for (const [title, code, text] of failures) {
            it(`are the stored ones when the code ${title}, which is logged`, async () => {

                const { type, schemaId } = await define(code);
                await expectRights(type, READER);
                expect(toldOf(type).length).to.be.at.least(nodes.all.length);
                await expectTold(type, text);
                await changeCode(node, schemaId, '');
            });
        }

        it('are the stored ones when the code cannot be loaded, which is logged', async () => {

            const { type, schemaId } = await define(OPENING);
            const create = async () => (await node.perform(Op.create, { authentication: basic('user'), input: { type, attributes: { content: {} } } })).status;
            const before = await settled(type, OK, create);
            await changeCode(node, schemaId, `require('/nowhere'); ${OPENING}`);
            const status = await create();
            await expectTold(type, 'Cannot find module');
            await changeCode(node, schemaId, '');

            expect([before, status]).to.equal([OK, FORBIDDEN]);
        });

        it('apply as soon as code that took too long is fast again', async () => {

            const { type } = await define(slowUntil(Date.now() + 4000));

            await until(async () => (await Promise.all(nodes.all.map((each) => rightsOn(each, type)))).every((each) => each === ALL));
            expect(toldOf(type).length).to.be.at.most(nodes.all.length);
        });

        it('of one type apply while the code of another fails', async () => {

            const broken = await define('exports.getAuthConfig = () => { throw "broken"; };');
            const { type } = await define(OPENING);

            await expectRights(broken.type, READER);
            await expectRights(type, ALL);
        });
    });

    describe(`access rules from hooks, after a restart on ${name},`, () => {

        it('are the stored ones where the code has exports that JSON cannot carry', async () => {

            const database = await create();
            const first = await startGateway(database);
            await defineAccounts(first);
            await first.create(ACCOUNT, account('user'));
            // Only where it may ask for nothing, as when rules are computed, and not when it is checked before it is stored.
            const javascript = `let isAlone = false; try { require('cordra').get('design'); } catch { isAlone = true; }
                if (isAlone) { Object.defineProperty(exports, '__proto__', { value: 1, enumerable: true }); } ${OPENING}`;
            await first.create('Schema', { name: 'Odd', schema: { type: 'object' }, authConfig: STORED, javascript });
            await first.create('Odd', {}, { id: 'test/Odd' });
            const before = await rightsOn(first, 'Odd');
            await first.stop();
            const second = await startGateway(database);
            const after = await rightsOn(second, 'Odd');
            await second.stop();
            await database.dispose();

            expect([before, after]).to.equal([READER, READER]);
        });

        it('apply from the first request on', async () => {

            const database = await create();
            const first = await startGateway(database);
            await defineAccounts(first);
            await first.create(ACCOUNT, account('user'));
            await first.create('Schema', { name: 'Lasting', schema: { type: 'object' }, authConfig: STORED, javascript: OPENING });
            await first.create('Lasting', {}, { id: 'test/Lasting' });
            await first.create('Schema', { name: 'Slow', schema: { type: 'object' }, authConfig: STORED, javascript: slowUntil(Date.now() + 4000) });
            await first.create('Slow', {}, { id: 'test/Slow' });
            await first.stop();
            const second = await startGateway(database);

            const seen = [await rightsOn(second, 'Lasting'), await rightsOn(second, 'Slow')];
            await second.stop();
            await database.dispose();

            expect(seen).to.equal([ALL, ALL]);
        });
    });
});

/** Code that takes too long until a time in epoch milliseconds. */
function slowUntil(time: number): string {

    return OPENING.replace('() => (', `() => { while (Date.now() < ${time}); return `).replace(/\);$/, '; };');
}

/** Does a search of somebody give the object of a type? */
async function finds(node: TestGateway, type: string, authentication: JsonObject): Promise<boolean> {

    const { value } = await node.perform(Op.search, { authentication, attributes: { query: `type:"${type}"`, type: 'id' } });
    return (value as { results: string[] }).results.includes(`test/${type}`);
}

/** What a user may do with objects of a type, on one node. */
async function rightsOn(node: TestGateway, type: string): Promise<string> {

    const targetId = `test/${type}`;
    const authentication = basic('user');
    const isFound = await finds(node, type, authentication);
    const content = contentOf(await node.asAdmin(Op.retrieve, { targetId }));
    const made = await node.perform(Op.create, { authentication, input: { type, attributes: { content: {} } } });
    const answers: [right: string, isGranted: boolean][] = [
        ['create', made.status === OK],
        ['read', (await node.perform(Op.retrieve, { targetId, authentication })).status === OK],
        ['write', (await node.perform(Op.update, { targetId, authentication, input: { attributes: { content } } })).status === OK],
        ['find', isFound]
    ];
    return answers.filter(([, isGranted]) => isGranted).map(([right]) => right).join(' ');
}
