/**
 * Objects with an element and their versions, for tests.
 */

import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { bytesSegment, jsonSegment } from '../../lib/doip/segments.js';
import type { Answer, ShortRequest, TestGateway } from './gateway.js';

const OK = '0.DOIP/Status.001';

/** A digital object as it was answered. */
export interface Retrieved {
    readonly id: string;
    readonly type: string;
    readonly attributes: JsonObject & { readonly metadata: JsonObject };
    readonly elements: readonly JsonObject[];
}

/** Short ways to work with versions as the administrator; all but {@link bytesOf} fail when they are refused. */
export class VersionKit {

    readonly test: TestGateway;

    constructor(test: TestGateway) {

        this.test = test;
    }

    /** Creates a document with an element `scan` of these bytes. */
    async document(id: string, attributes: JsonObject, bytes: string): Promise<void> {

        await this.succeed(Op.create, { input: [jsonSegment({ id, type: 'Document', attributes }), ...element(bytes)] });
    }

    /** Replaces content and element. */
    async change(id: string, content: JsonObject, bytes: string): Promise<void> {

        await this.succeed(Op.update, { targetId: id, input: [jsonSegment({ attributes: { content } }), ...element(bytes)] });
    }

    async publish(targetId: string, attributes: JsonObject = {}, more: ShortRequest = {}): Promise<JsonObject & { id: string }> {

        return await this.succeed(Op.versionsPublish, { targetId, attributes, ...more }) as JsonObject & { id: string };
    }

    async list(targetId: string, more: ShortRequest = {}): Promise<JsonObject[]> {

        return await this.succeed(Op.versionsGet, { targetId, ...more }) as JsonObject[];
    }

    async retrieve(targetId: string): Promise<Retrieved> {

        return await this.succeed(Op.retrieve, { targetId }) as Retrieved;
    }

    /** The answer with the bytes of the element. */
    bytesOf(targetId: string): Promise<Answer> {

        return this.test.asAdmin(Op.retrieve, { targetId, attributes: { element: 'scan' } });
    }

    /** Runs work while the design has some more members. */
    async withDesign(more: JsonObject, work: () => Promise<void>): Promise<void> {

        const { content } = (await this.retrieve('design')).attributes;
        const set = (members: JsonObject): Promise<unknown> => this.succeed(Op.update, {
            targetId: 'design', input: { attributes: { content: { ...content as JsonObject, ...members } } }
        });
        await set(more);
        try {
            await work();
        }
        finally {
            await set({});
        }
    }

    private async succeed(operationId: string, request: ShortRequest): Promise<unknown> {

        const { status, value } = await this.test.asAdmin(operationId, request);
        expect(status, JSON.stringify(value)).to.equal(OK);
        return value;
    }
}

function element(bytes: string) {

    return [jsonSegment({ id: 'scan', type: 'image/png', filename: 'a.png' }), bytesSegment(Buffer.from(bytes))];
}
