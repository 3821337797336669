/** Unlimited searches that wait while their caller has too many: rights and the code of the design are those of the moment when they begin. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Op } from '../../../lib/doip/operation-ids.js';
import type { Found, SearchQuery } from '../../../lib/search/search-service.js';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { SERVICE } from '../../../lib/model/caller.js';
import { createSqlite, type TestDatabase } from '../../support/database.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { changeDesign, changeMembers } from '../../support/type-code.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const EVERYTHING: SearchQuery = {
    query: '*:*', filterQueries: [], facets: [], sort: [], start: 0, limit: null, includeScore: false, includeVersions: false
};

/** Number of unlimited searches that a caller may have. */
const AT_ONCE = 4;

const OK = '0.DOIP/Status.001';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const CREDENTIALS = { username: 'ann', password: 'password of ann' };

describe('unlimited searches that wait for their turn', () => {

    let database: TestDatabase;
    let gateway: TestGateway;
    let ann: string;
    let group: string;
    let token: string;
    let held: Found<string>[];

    beforeEach(async () => {

        database = await createSqlite();
        gateway = await startGateway(database);
        ({ id: ann } = await gateway.create('User', CREDENTIALS));
        ({ id: group } = await gateway.create('Group', { groupName: 'readers', description: '', users: [ann] }));
        await gateway.create('Document', { name: 'closed' }, { id: 'test/closed', attributes: { acl: { readers: [group], writers: [] } } });
        const { value } = await gateway.perform(Op.authToken, { input: CREDENTIALS });
        token = (value as { access_token: string }).access_token;
        const { search } = gateway.gateway.services;
        const context = { caller: { ...SERVICE, userId: ann }, remoteAddress: '', requestContext: {}, signal: new AbortController().signal };
        held = await Promise.all(Array.from({ length: AT_ONCE }, () => search.indexedIds(EVERYTHING, context)));
    });

    afterEach(async () => {

        await Promise.all(held.map(({ blocks }) => blocks.return()));
        await gateway.stop();
        await database.dispose();
    });

    /** Searches while all turns of the caller are taken, and does something before one of them is free. */
    async function searchAround(attributes: JsonObject, change: () => Promise<unknown>): Promise<{ status: string; size: number | undefined }> {

        const { search } = gateway.gateway.services;
        let begun = 0;
        const counted = <A extends unknown[], R>(method: (...args: A) => R): (...args: A) => R => {

            return (...args) => {

                begun += 1;
                return method(...args);
            };
        };

        search.ids = counted(search.ids.bind(search));
        search.objects = counted(search.objects.bind(search));
        const searching = gateway.perform(Op.search, { authentication: { token }, attributes: { query: 'type:Document', pageSize: -1, ...attributes } });
        await until(() => begun === 1);
        await change();
        await held[0]?.blocks.return();
        const { status, value } = await searching;
        const record = (typeof value === 'string' ? JSON.parse(value) : value) as { size?: number };
        return { status, size: record.size };
    }

    const changes: readonly (readonly [title: string, change: () => Promise<unknown>, status: string, size: number | undefined])[] = [
        ['find what they may when nothing changes', () => Promise.resolve(), OK, 1],
        ['do not find what the caller may not read any more, having left a group', () => changeMembers(gateway, group, { users: [] }), OK, 0],
        ['have a query as the code of the design makes it', () => changeDesign(gateway, { javascript: 'exports.customizeQuery = () => "id:none";' }), OK, 0],
        ['are rejected when their token has ended', () => gateway.perform(Op.authRevoke, { input: { token } }), UNAUTHENTICATED, undefined]
    ];
    for (const [title, change, status, size] of changes) {
        for (const type of ['id', 'full']) {
            it(`${title}, as results of the kind ${type}`, async () => {

                expect(await searchAround({ type }, change)).to.equal({ status, size });
            });
        }
    }
});
