/** A failed upload of objects gives back what was there before, with all bytes of payloads, whatever happened meanwhile. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Readable } from 'node:stream';
import type { Database } from '../../../../db/database.js';
import { SILENT } from '../../../../db/log.js';
import type { Gateway } from '../../../../lib/app/gateway.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { badRequest, tooLarge, unavailable } from '../../../../lib/errors/errors.js';
import { uploadJob, type UploadJobParts } from '../../../../lib/bulk/upload/upload-job.js';
import { isStorageFailure } from '../../../../lib/bulk/upload/upload-batch.js';
import type { RunningJob } from '../../../../lib/jobs/job-kind.js';
import { BlobStore } from '../../../../lib/stores/blobs/blob-store.js';
import { BlobSweeper } from '../../../../lib/stores/blobs/blob-sweeper.js';
import { DatabaseElementStore } from '../../../../lib/stores/blobs/database-element-store.js';
import { type ElementStore, ElementStores } from '../../../../lib/stores/blobs/element-store.js';
import { CatalogStore } from '../../../../lib/stores/catalog-store.js';
import { UPLOAD_SETTING } from '../../../../lib/stores/setting-store.js';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import type { Answer, TestGateway } from '../../../support/gateway.js';
import { LIMITS, startGateway } from '../../../support/gateway.js';
import { stateOf } from '../../../support/repository-state.js';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

const TYPE: JsonObject = { id: 'test/type-kept', type: 'Schema', content: { identifier: '', name: 'Kept', schema: {} } };
const BYTES = Buffer.alloc(300_000, 'kept');

/** An object with a payload. */
const kept = (id: string, bytes: Buffer): JsonObject => (
    { id: `test/${id}`, type: 'Kept', content: {}, payloads: [{ name: 'p', base64Payload: bytes.toString('base64') }] }
);

const PERSON_TYPE: JsonObject = { id: 'test/type-person', type: 'Schema', content: { identifier: '', name: 'Person', schema: { properties: {
    username: { type: 'string', cordra: { auth: 'username' } }, password: { type: 'string', cordra: { auth: 'password' } }
} } } };

/** A user. */
const person = (id: string, username = id): JsonObject => ({ id: `test/${id}`, type: 'Person', content: { username, password: 'a long secret' } });

/** An API key that was just made. */
type MadeKey = JsonObject & { readonly id: string; readonly key: string };

/** What is done when the bytes of the object `test/late` are to be stored, when everything before was deleted. */
let onWrite: () => Promise<void>;

/** Keeps nothing: what it is given is never read. */
const FRAIL: ElementStore = {
    async write(_blobId, body) {

        for await (const chunk of body) {
            void chunk;
        }

        await onWrite();
    },
    read: () => Readable.from([]),
    remove: () => Promise.resolve(),
    list: () => Promise.resolve([])
};

forEachDatabase((name, create) => {

    describe(`the rollback of an upload of objects on ${name}`, () => {

        let place: TestDatabase;
        let gateway: TestGateway;
        let db: Database;

        before(async () => {

            place = await create();
        });

        after(() => place.dispose());

        beforeEach(async () => {

            onWrite = () => Promise.resolve();
            await start();
            db = await place.open();
            expect((await upload([TYPE, kept('large', BYTES), kept('small', Buffer.from('small'))])).status).to.equal('0.DOIP/Status.001');
        });

        afterEach(() => gateway.stop());

        const start = async (limits = LIMITS, onChange: Parameters<Gateway['onChange']>[0] = () => {}): Promise<void> => {

            gateway = await startGateway(place, {
                limits, elementStores: { frail: FRAIL }, storageChooser: ({ id }) => (id === 'test/late' ? 'frail' : 'database')
            }, (own) => own.onChange(onChange));
        };

        const upload = (items: JsonObject[], deleteCurrentObjects = true): Promise<Answer> => (
            gateway.asAdmin(Op.uploadObjects, { input: items as JsonValue, attributes: { deleteCurrentObjects } })
        );

        const makeKey = async (username: string, input: JsonObject): Promise<MadeKey> => (
            (await gateway.perform(Op.keysCreate, { authentication: { username, password: 'a long secret' }, input })).value as MadeKey
        );

        /** Whom a key logs in; undefined for nobody. */
        const userOf = async ({ key }: MadeKey): Promise<unknown> => (
            ((await gateway.perform(Op.checkCredentials, { authentication: { token: key } })).value as JsonObject)['userId']
        );

        const keysOf = async (attributes: JsonObject = {}): Promise<JsonObject[]> => (
            ((await gateway.asAdmin(Op.keysList, { attributes })).value as { keys: JsonObject[] }).keys
        );

        /** Users of stored keys. */
        const holders = async (): Promise<string[]> => (
            (await db.read<{ user_id: string }>({ sql: 'select user_id from api_keys order by user_id' }, [])).map(({ user_id: id }) => id)
        );

        /** Sweeps as a process on a nearly full disk, a day later. */
        const sweep = async (): Promise<void> => {

            const stores = new ElementStores(new DatabaseElementStore(db.blobs));
            const blobs = new BlobStore(db, stores, { log: SILENT });
            const later = Date.now() + 2 * 86_400_000;
            await new BlobSweeper(db, stores, blobs, SILENT).sweep(later, { grace: 0, stagedTtl: 1e12, limit: 1000, isForSpace: true });
        };

        const blobsOf = async (id: string): Promise<number[]> => {

            const rows = await db.read<{ blob_id: number }>({ sql: 'select blob_id from payloads where object_id = ?' }, [id]);
            return rows.map(({ blob_id: blobId }) => blobId);
        };

        it('deletes types last, before it as well, as the rules of a type go with it', async () => {

            const first = { ...TYPE, id: 'test/a-type' };
            expect((await upload([first, kept('large', BYTES)])).status).to.equal('0.DOIP/Status.001');
            await gateway.stop();
            const deleted: string[] = [];
            await start(LIMITS, ({ kind, id }) => void (kind === 'deleted' ? deleted.push(id) : undefined));
            onWrite = () => Promise.reject(new Error('refused'));

            expect((await upload([first, kept('large', BYTES), kept('late', Buffer.from('late'))])).status).to.equal('0.DOIP/Status.500');

            // Before the upload, and in its rollback
            const places = ['test/large', 'test/a-type', 'test/large', 'test/a-type'].reduce<number[]>((found, id) => [...found, deleted.indexOf(id, (found.at(-1) ?? -1) + 1)], []);
            expect(places, deleted.join(', ')).to.not.include(-1);
            expect(deleted.filter((id) => id === 'test/a-type').length).to.equal(2);
        });

        it('has the bytes of former payloads, however short of space the disk was', async () => {

            const stored = await stateOf(gateway);
            onWrite = async () => {

                expect(await blobsOf('test/large')).to.equal([]);
                await sweep();
                throw new Error('refused');
            };

            const { status, value } = await upload([TYPE, kept('late', Buffer.from('late'))]);

            expect([status, value as object]).to.equal(['0.DOIP/Status.500', {
                message: 'nothing was uploaded, because of position 1: Something went wrong. Contact your sysadmin.'
            }]);
            expect([...await stateOf(gateway)]).to.equal([...stored]);
        });

        it('restores objects that are beyond the limits of today', async () => {

            const payloads = Array.from({ length: 5 }, (_, n) => ({ name: `p${n}`, base64Payload: Buffer.from(`payload ${n}`).toString('base64') }));
            const long = 'x'.repeat(50_000);
            expect((await upload([TYPE, { id: 'test/many', type: 'Kept', content: { long }, userMetadata: { long }, payloads }])).status).to.equal('0.DOIP/Status.001');
            const stored = await stateOf(gateway);
            await gateway.stop();
            await start({ ...LIMITS, elements: 2, contentBytes: 10_000 });
            onWrite = () => Promise.reject(new Error('refused'));

            const { value } = await upload([TYPE, kept('late', Buffer.from('late'))]);

            expect((value as { message: string }).message).to.endWith('because of position 1: Something went wrong. Contact your sysadmin.');
            expect([...await stateOf(gateway)]).to.equal([...stored]);
        });

        it('leaves payloads without objects to the next sweep', async () => {

            const blobs = await blobsOf('test/large');
            expect((await upload([TYPE])).status).to.equal('0.DOIP/Status.001');

            await sweep();

            expect(await db.read({ sql: 'select id from blobs where id = ?' }, blobs)).to.equal([]);
        });

        it('is not begun for an element store that does not answer for a moment', async () => {

            let attempts = 0;
            onWrite = async () => {

                attempts += 1;
                if (attempts === 1) {
                    throw unavailable('the payload store does not answer', 5, new Error('SlowDown'));
                }
            };

            const { status } = await upload([TYPE, kept('late', Buffer.from('late'))]);

            expect([status, attempts]).to.equal(['0.DOIP/Status.001', 2]);
            expect(await blobsOf('test/late')).to.have.length(1);
            const [job] = await db.read<{ progress: string }>({ sql: 'select progress from jobs where kind = \'objects.upload\' order by id desc limit 1' }, []);
            expect<unknown>(JSON.parse(job?.progress ?? '')).to.include({ phase: 'over', isEnded: true });
        });

        it('is not begun for such a store while types swap their names, which stay unique', async () => {

            const type = (id: string, name: string, more: JsonObject = {}): JsonObject => ({ id, type: 'Schema', content: { identifier: '', name, schema: {} }, ...more });
            expect((await upload([TYPE, type('test/first', 'A'), type('test/late', 'B')])).status).to.equal('0.DOIP/Status.001');
            let attempts = 0;
            onWrite = async () => {

                attempts += 1;
                if (attempts === 1) {
                    throw unavailable('the payload store does not answer', 5, new Error('SlowDown'));
                }
            };

            // The first type has its new name when the run ends.
            const { status } = await upload([type('test/first', 'B'), type('test/late', 'A', { payloads: [{ name: 'p', base64Payload: '' }] })], false);

            expect([status, attempts]).to.equal(['0.DOIP/Status.001', 2]);
            const names = await db.read<{ name: string; id: string }>({ sql: 'select name, schema_id as id from type_names where name in (?, ?) order by name' }, ['A', 'B']);
            expect(names.map(({ name: ofType, id }) => [ofType, id])).to.equal([['A', 'test/late'], ['B', 'test/first']]);
            for (const taken of ['A', 'B']) {
                await expect(gateway.create('Schema', { identifier: '', name: taken, schema: {} })).to.reject(new RegExp(`Schema name ${taken} is not unique`));
            }
        });

        it('is not taken for a success when its job is not there any more', async () => {

            onWrite = async () => {

                await db.commit({ steps: [
                    { sql: 'delete from jobs where kind = ?', bindings: ['objects.upload'] }, { sql: 'delete from settings where name = ?', bindings: [UPLOAD_SETTING] },
                    new CatalogStore(db).bumpStep()
                ] });
                throw new Error('refused');
            };

            const { status, value } = await upload([TYPE, kept('late', Buffer.from('late'))]);

            expect([status, value as object]).to.equal(['0.DOIP/Status.500', { message: 'the upload has ended, but its outcome is not known any more' }]);
        });

        for (const deletes of [false, true]) {

            it(`gives API keys back to the users who had them${deletes ? ', after all were deleted' : ''}`, async () => {

                expect((await upload([TYPE, PERSON_TYPE, person('ann'), person('bob'), person('eve')])).status).to.equal('0.DOIP/Status.001');
                const [plain, narrow, revoked, ofBob] = await Promise.all([
                    makeKey('ann', { name: 'plain' }), makeKey('ann', { name: 'narrow', types: ['Kept'], readOnly: true, expiresInDays: 9 }),
                    makeKey('ann', { name: 'revoked' }), makeKey('bob', { name: 'plain' })
                ]);
                const before = await keysOf({ userId: 'test/ann' });
                let attempts = 0;
                const meanwhile: unknown[] = [];
                onWrite = async () => {

                    attempts += 1;
                    if (attempts === 1) {
                        throw unavailable('the payload store does not answer', 5, new Error('SlowDown'));       // The run is begun again
                    }

                    await gateway.perform(Op.authRevoke, { input: { token: revoked.key } });
                    meanwhile.push(...deletes ? [await userOf(plain), await userOf(ofBob), await keysOf({ all: true })] : []);
                    throw new Error('refused');
                };

                const { value } = await upload([TYPE, PERSON_TYPE, person('ann', 'another'), person('bob'), person('new'), kept('late', Buffer.from('late'))], deletes);

                expect((value as { message: string }).message).to.equal('nothing was uploaded, because of position 5: Something went wrong. Contact your sysadmin.');
                expect(meanwhile).to.equal(deletes ? [undefined, undefined, []] : []);
                expect(await Promise.all([plain, narrow, revoked, ofBob].map(userOf))).to.equal(['test/ann', 'test/ann', undefined, 'test/bob']);
                expect<unknown>((await keysOf({ userId: 'test/ann' })).map(withoutUse)).to.equal(before.filter(({ id }) => id !== revoked.id).map(withoutUse));
                expect(await holders()).to.equal(['test/ann', 'test/ann', 'test/bob']);
            });
        }

        it('is over for API keys when the upload has replaced their users', async () => {

            expect((await upload([TYPE, PERSON_TYPE, person('ann')])).status).to.equal('0.DOIP/Status.001');
            const key = await makeKey('ann', { name: 'plain' });

            expect((await upload([TYPE, PERSON_TYPE, person('ann', 'another')])).status).to.equal('0.DOIP/Status.001');

            expect(await userOf(key)).to.be.undefined();
            expect(await holders()).to.equal([]);
        });

        it('counts what it cannot restore, and keeps the former objects', async () => {

            const lost = [...await blobsOf('test/large'), ...await blobsOf('test/small')];
            onWrite = async () => {

                await db.commit({ steps: lost.map((id) => ({ sql: 'delete from blobs where id = ?', bindings: [id] })) });
                throw new Error('refused');
            };

            const { value } = await upload([TYPE, kept('late', Buffer.from('late'))]);

            expect((value as { message: string }).message).to.endWith(
                '; 2 objects that were there before could not be restored: see upload.rollback-incomplete in the log');
            const [job] = await db.read<{ progress: string }>({ sql: 'select progress from jobs where kind = \'objects.upload\' order by id desc limit 1' }, []);
            const { former } = JSON.parse(job?.progress ?? '') as { former: { blobId: number } };
            const [blob] = await db.read<{ links: number }>({ sql: 'select links from blobs where id = ?' }, [former.blobId]);
            expect(blob?.links).to.equal(1);
        });
    });
});

/** A key without the time of its last use. */
function withoutUse({ lastUsedOn: _lastUsedOn, ...key }: JsonObject): JsonObject {

    return key;
}

describe('an upload that has ended', () => {

    it('does nothing when its job is run again, as its process was killed', async () => {

        const untouched = new Proxy({}, {
            get(_target, key) {

                throw new Error(`${String(key)} was used`);
            }
        }) as UploadJobParts;
        const job = { id: 1, attempts: 2, payload: {}, progress: { phase: 'over', position: 0, isEnded: true } } as unknown as RunningJob;

        await uploadJob(untouched).run(job);
        await expect(uploadJob(untouched).run({ ...job, progress: { phase: 'over', position: 0 } })).to.reject('refresh was used');
    });
});

describe('what ends a run of an upload, to be repeated', () => {

    const cases: [string, unknown, ReturnType<Parameters<typeof isStorageFailure>[1]['explain']>, boolean][] = [
        ['an error that the database explains', new Error('full'), unavailable('full', 5), true],
        ['a value that the database server never stores', new Error('too long'), tooLarge('too long'), false],
        ['an element store that does not answer', unavailable('no answer', 5), null, true],
        ['a rejected object', badRequest('wrong'), null, false],
        ['an unexpected error', new Error('unexpected'), null, false]
    ];
    for (const [title, error, explained, expected] of cases) {

        it(`${expected ? 'is' : 'is not'} ${title}`, () => {

            expect(isStorageFailure(error, { explain: () => explained })).to.equal(expected);
        });
    }
});
