import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { SILENT } from '../../../db/log.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import type { Lifecycle } from '../../../lib/objects/hooks/lifecycle.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import type { Catalog } from '../../../lib/types/catalog.js';
import { badRequest, forbidden, tooManyRequests, unavailable } from '../../../lib/errors/errors.js';
import { HandleRecords } from '../../../lib/handles/handle-records.js';
import type { HandleValuesHook } from '../../../lib/handles/handle-records.js';
import { HandleResolver } from '../../../lib/handles/handle-resolver.js';
import { ANONYMOUS } from '../../../lib/model/caller.js';
import { Policy } from '../../../lib/identity/access/access-policy.js';
import { WITHOUT_CODE } from '../../support/without-code.js';
import { ObjectResolution } from '../../../lib/objects/read/object-resolution.js';
import { TypeRegistry } from '../../../lib/types/type-registry.js';
import { LIMITS } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it } = lab;

const MINTING: JsonObject = {
    prefix: 'test', baseUri: 'https://repo.example/', defaultLinks: [{ type: 'json' }, { type: 'url', specific: '/home', primary: true }]
};

const OBJECT: StoredObject = {
    id: 'test/1', type: 'Document', content: { home: 'https://secret.example/' }, acl: null, userMetadata: null, elements: [],
    metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: 1 }
};

/** What code of the type makes of an object that is about to be shown. */
function showing(shown: () => JsonValue): Lifecycle {

    return { ...WITHOUT_CODE, has: (type, hook) => type === 'Document' && hook === 'onObjectResolution', run: async () => shown() };
}

function handlesWith({ lifecycle = WITHOUT_CODE, minting = MINTING, hook = null }: {
    lifecycle?: Lifecycle; minting?: JsonObject; hook?: HandleValuesHook | null;
}): { complaints: unknown[]; records: HandleRecords; resolver: HandleResolver } {

    const registry = TypeRegistry.build({ design: { handleMintingConfig: minting }, schemas: [], extensionKeyword: 'cordra', prefix: 'test' });
    const policy = new Policy(() => registry.accessRules);
    const resolution = () => new ObjectResolution({ lifecycle, limits: LIMITS, policy });
    const records = new HandleRecords({
        catalog: { current: registry } as Catalog, policy, resolution, uiBase: null, ownBase: () => undefined, serviceInfo: () => ({}),
        adminIdentity: null, hook
    });
    const complaints: unknown[] = [];
    const log = { ...SILENT, error: (fields: object) => void complaints.push(fields) };
    return { complaints, records, resolver: new HandleResolver({ records, policy, resolution, uiBase: null, log }) };
}

const RESOLVING = { handle: 'test/1', object: OBJECT, isService: false, caller: ANONYMOUS, requestContext: {} };
const ALL = { indexes: [], types: [] };

describe('handles of objects of a type with code', () => {

    it('resolve to what the code shows', async () => {

        const { resolver } = handlesWith({ lifecycle: showing(() => ({ content: { home: 'https://shown.example/' } })) });

        const record = JSON.stringify(await resolver.resolve(RESOLVING, ALL));

        expect(record).to.contain('https://shown.example/').and.to.not.contain('secret');
        expect(await resolver.locate(RESOLVING, undefined)).to.include({ href: 'https://shown.example/' });
    });

    it('do not exist where the code hides the object', async () => {

        const { resolver } = handlesWith({ lifecycle: showing(() => {

            throw forbidden('not you');
        }) });

        for (const work of [resolver.resolve(RESOLVING, ALL), resolver.locate(RESOLVING, 'json')]) {
            const error = await work.then(() => null, (thrown: unknown) => thrown as { message: string; details: JsonObject });

            expect<unknown>([error?.message, error?.details]).to.equal(['handle test/1 does not exist', { responseCode: 100, handle: 'test/1' }]);
        }
    });

    it('are not said to be missing while the code cannot be run', async () => {

        for (const busy of [tooManyRequests('too many scripts of yours', 1), unavailable('too many scripts', 1)]) {
            const { resolver } = handlesWith({ lifecycle: showing(() => {

                throw busy;
            }) });

            const works = [resolver.resolve(RESOLVING, ALL), resolver.locate(RESOLVING, undefined), resolver.locate(RESOLVING, 'json')];
            const errors = await Promise.all(works.map((work) => work.catch((error: unknown) => error)));
            expect(errors.map((error) => error === busy)).to.equal([true, true, true]);
        }
    });

    it('are registered without the content of the object', async () => {

        const open = handlesWith({}).records;
        const kept = handlesWith({ lifecycle: showing(() => ({ content: {} })) }).records;

        expect(JSON.stringify(await open.ofPublic(OBJECT))).to.contain('secret.example');
        expect(JSON.stringify(await kept.ofPublic(OBJECT))).to.contain('objects/test/1').and.to.not.contain('secret.example');
        expect(kept.differ(OBJECT, { ...OBJECT, content: {} })).to.be.false();
        expect(open.differ(OBJECT, { ...OBJECT, content: {} })).to.be.true();
    });
});

describe('handles with values from a script of the design', () => {

    const minting = { ...MINTING, javascript: 'exports.createHandleValues = () => []', handleAdminIdentity: '300:test/admin' };

    it('have these values, and the value that names the service', async () => {

        const { resolver } = handlesWith({ minting, hook: async ({ id }) => [{ index: 1, type: 'URL', data: `https://a.example/${id}` }] });

        const { values } = await resolver.resolve(RESOLVING, ALL) as unknown as { values: { index: number; type: string }[] };

        expect(values.map(({ index, type }) => [index, type])).to.equal([[1, 'URL'], [2, '0.TYPE/DOIPService']]);
        expect(await resolver.locate(RESOLVING, undefined)).to.include({ view: 'url', href: 'https://a.example/test/1' });
        expect(await resolver.locate(RESOLVING, 'ui')).to.include({ view: 'ui', href: null });
    });

    it('keep their own value that names a service', async () => {

        const { records } = handlesWith({ minting, hook: async () => [{ index: 5, type: '0.TYPE/DOIPService', data: 'other/service' }] });

        expect<unknown>((await records.ofPublic(OBJECT)).map(({ index, data }) => [index, data.value])).to.equal([[5, 'other/service']]);
    });

    it('are those of the design where the script returns none, or scripts are off', async () => {

        for (const hook of [null, async () => undefined]) {
            const values = await handlesWith({ minting, hook }).records.ofPublic(OBJECT);

            expect(values.map(({ type }) => type)).to.equal(['HS_ADMIN', '10320/loc', '0.TYPE/DOIPService']);
        }
    });

    it('fail with the script, and have no values that it does not return', async () => {

        const failing = handlesWith({ minting, hook: () => Promise.reject(new Error('the script failed')) }).records;
        const odd = handlesWith({ minting, hook: async () => ({ index: 1 }) }).records;

        await expect(failing.ofPublic(OBJECT)).to.reject('the script failed');
        await expect(odd.ofPublic(OBJECT)).to.reject('handle values must be an array');
    });

    it('resolve by the design when the script fails or returns none, which is logged at intervals', async () => {

        const asDesigned = (await handlesWith({ minting }).resolver.resolve(RESOLVING, ALL))['values'];
        const broken: readonly HandleValuesHook[] = [
            () => Promise.reject(new Error('the script failed')), async () => ({ index: 1 }), async () => [{ index: 0, type: 'URL', data: 'x' }],
            async () => [{ index: 1, type: 'URL', data: 'x' }, { index: 1, type: 'URL', data: 'y' }], async () => null
        ];
        for (const hook of broken) {
            const { resolver, complaints } = handlesWith({ minting, hook });
            for (let i = 0; i < 3; ++i) {
                expect<unknown>(await resolver.resolve(RESOLVING, ALL)).to.equal({ responseCode: 1, handle: 'test/1', values: asDesigned });
            }

            expect(await resolver.locate(RESOLVING, 'ui')).to.include({ view: 'ui', href: null });
            expect(complaints).to.have.length(1);
        }
    });

    it('do not resolve when the script rejects, or no thread is free', async () => {

        for (const error of [badRequest('not today'), unavailable('too many scripts', 1)]) {
            const { resolver, complaints } = handlesWith({ minting, hook: () => Promise.reject(error) });

            await expect(resolver.resolve(RESOLVING, ALL)).to.reject(error.message);
            expect(complaints).to.equal([]);
        }
    });

    it('never redirect to an unsafe address', async () => {

        const { resolver } = handlesWith({ minting, hook: async () => [{ index: 1, type: 'URL', data: 'javascript:alert(1)' }] });

        expect(await resolver.locate(RESOLVING, undefined)).to.include({ view: 'ui', href: null });
    });
});
