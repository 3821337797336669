import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import { createGateway } from '../../../lib/app/gateway.js';
import { SettingStore } from '../../../lib/stores/setting-store.js';
import { ExtensionKeywordError } from '../../../lib/types/schema/extension-keyword.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import { gatewayOptions, startGateway, talkTo } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const TYPES = ['CordraDesign', 'Document', 'Group', 'Schema', 'User'];
const SUCCESS = '0.DOIP/Status.001';
const KEYWORD = 'types.extension-keyword';

forEachDatabase((name, create) => {

    describe(`a fresh service on ${name}`, () => {

        let database: TestDatabase;

        beforeEach(async () => {

            database = await create();
        });

        afterEach(() => database.dispose());

        it('gets a design and types, which stay deleted once they are deleted', async () => {

            const first = await startGateway(database);
            const before = await first.perform('gateway/Op.Schemas.List');
            const { status } = await first.asAdmin('gateway/Op.Schemas.Delete', { attributes: { type: 'Document' } });
            await first.stop();
            const second = await startGateway(database);
            const after = await second.perform('gateway/Op.Schemas.List');
            await second.stop();

            expect(Object.keys(before.value as object).sort()).to.equal(TYPES);
            expect(status).to.equal('0.DOIP/Status.001');
            expect(Object.keys(after.value as object)).to.not.include('Document');
        });

        it('is seeded by the configuration; later the design takes precedence, and differences are logged', async () => {

            const lines: Record<string, unknown>[] = [];
            const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
            const first = await startGateway(database, { prefix: '20.500.1', baseUri: 'https://one.example/', log });
            const seeded = [...lines];
            await first.stop();
            const second = await startGateway(database, { prefix: '20.500.2', baseUri: 'https://two.example/', log });
            const { id } = await second.create('Document', {});
            await second.stop();

            expect(seeded).to.equal([]);
            expect(id).to.startWith('20.500.1/');
            expect(lines.map(({ event }) => event)).to.equal(['design.prefix-differs', 'design.base-uri-differs']);
        });

        it('keeps its extension keyword: no service and no command starts with another one, and its users keep their passwords', async () => {

            const authentication = { username: 'somebody', password: 'password of somebody' };
            const first = await startGateway(database, { extensionKeyword: 'ext' });
            const { id } = await first.create('User', authentication);
            await first.stop();
            for (const isForCommand of [false, true]) {
                const rejected = startGateway(database, { extensionKeyword: 'other', isForCommand, onlyExisting: isForCommand });
                await expect(rejected).to.reject(ExtensionKeywordError, /^the extension keyword of this repository is ext, not other: set EXTENSION_KEYWORD to ext, /);
            }

            const again = await startGateway(database, { extensionKeyword: 'ext' });
            const content = { id, username: 'somebody', password: '' };
            const changed = await again.asAdmin('0.DOIP/Op.Update', { targetId: id, input: { attributes: { content } } });
            const { status } = await again.perform('0.DOIP/Op.Retrieve', { targetId: id, authentication });
            await again.stop();

            expect([changed.status, status]).to.equal([SUCCESS, SUCCESS]);
        });

        it('of an earlier version has the extension keyword of the first service, not of a command', async () => {

            const stored = async (change: (settings: SettingStore) => ReturnType<SettingStore['removeSteps']>): Promise<string | null> => {

                const db = await database.open();
                const settings = new SettingStore(db);
                await db.commit({ steps: change(settings) });
                const value = await settings.get(KEYWORD);
                await db.close();
                return value;
            };

            await (await startGateway(database, { extensionKeyword: 'ext' })).stop();
            const found = [await stored((settings) => settings.setSteps('untouched', '')), await stored((settings) => settings.removeSteps(KEYWORD, 'ext'))];
            await (await startGateway(database, { extensionKeyword: 'other', isForCommand: true, onlyExisting: true })).stop();
            await (await startGateway(database, { extensionKeyword: 'ext' })).stop();
            found.push(await stored((settings) => settings.setSteps('untouched', '')));

            expect(found).to.equal(['ext', null, 'ext']);
            await expect(startGateway(database, { extensionKeyword: 'other' })).to.reject(ExtensionKeywordError);
        });

        it('gets the password of admin when it has started, so that it is shown after starts that fail', async () => {

            // Nothing listens there, and a search engine that was never reached ends the start.
            const search = { engine: { url: 'http://127.0.0.1:9/objects', shards: 1 } };
            const open = (more: object) => createGateway(gatewayOptions(database, { adminPassword: null, ...more }));
            const failing = open({ search });
            await expect(failing.start()).to.reject(/127\.0\.0\.1:9/);
            await failing.stop();
            const gateway = open({});
            const { generatedPassword } = await gateway.start();
            const { status } = await talkTo(gateway).perform('gateway/Op.Status', { authentication: { username: 'admin', password: generatedPassword } });
            await gateway.stop();
            const later = open({});
            const { generatedPassword: shownAgain } = await later.start();
            await later.stop();

            expect(generatedPassword).to.be.a.string();
            expect([status, shownAgain]).to.equal([SUCCESS, null]);
        });
    });
});
