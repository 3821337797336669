/**
 * Stored segments of the search index, and the manifest of each node. Sections are split into parts that fit into any packet; each
 * part has a checksum. When a node was heard of is told by the clock of the database, as those of nodes may differ.
 */

import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Database, Step } from '../../../db/database.js';
import { DatabaseError } from '../../../db/errors.js';
import { statements } from '../../../db/statements.js';
import { DamagedSegment, ForgottenIndex, NoSpaceForSegment } from './segment-errors.js';

/** Bytes of a part. */
const PART_BYTES = 1024 * 1024;

/** Number of parts listed or deleted at once. */
const PARTS_PER_BATCH = 8;

/** Manifest of the index of a node. */
export interface SearchManifest {
    /** Version of the index. */
    readonly layout: number;
    /** Batch of the change log up to which the index is complete; null while it is being built. */
    readonly covered: number | null;
}

/** A stored segment. */
export interface StoredSegment {
    readonly id: number;
    /** Deleted ones included. */
    readonly documents: number;
}

/** Change from one set of segments to the next. */
export interface SegmentSwitch {
    readonly added: readonly number[];
    readonly removed: readonly number[];
    /** Null while the index is being built. */
    readonly covered: number | null;
}

/** `failed` of a unit when the manifest does not exist. */
const NO_MANIFEST = 'search:no-manifest';

export class SearchSegmentStore {

    readonly #db: Database;
    readonly #owner: string;
    readonly #sql: ReturnType<typeof buildStatements>;

    /**
     * @param owner name of the node
     */
    constructor(db: Database, owner: string) {

        this.#db = db;
        this.#owner = owner;
        this.#sql = buildStatements(db);
    }

    /** Returns the manifest; null when the node has no index. */
    async manifest(): Promise<SearchManifest | null> {

        const found = await this.#sql.manifest.first<SearchManifest>({ owner: this.#owner });
        return found ?? null;
    }

    /** Discards the index of the node and starts a new one. Rows of the old segments are left to {@link sweep}. */
    async reset(layout: number): Promise<void> {

        await this.#commit([
            this.#sql.retireAll.step({ owner: this.#owner }),
            this.#sql.reset.step({ owner: this.#owner, layout, now: this.#db.now() })
        ]);
    }

    /** Sets the version of the index of the node. */
    async setLayout(layout: number): Promise<void> {

        await this.#commit([this.#sql.adopt.step({ owner: this.#owner, layout })]);
    }

    /** Heartbeat of the node; false when its index was removed. */
    async sendHeartbeat(): Promise<boolean> {

        const [step] = await this.#commit([this.#sql.seen.step({ owner: this.#owner, now: this.#db.now() })]);
        return step?.rows === 1;
    }

    /** Returns the segments of the index, in the order in which they were added. */
    async segments(): Promise<StoredSegment[]> {

        return await this.#sql.segments.read<StoredSegment>({ owner: this.#owner });
    }

    /** Stores a segment, which becomes part of the index by {@link switch}. Returns its id. */
    async write(documents: number, sections: Iterable<readonly [name: string, bytes: Uint8Array]>): Promise<number> {

        const [created] = await this.#commit([this.#sql.create.step({ owner: this.#owner, documents })], false);
        const id = created?.insertId ?? 0;
        for (const [name, bytes] of sections) {
            for (const step of this.#partSteps(id, name, bytes)) {
                await this.#commit([step], false);
            }
        }

        return id;
    }

    /** Returns the steps that replace a small section. */
    rewriteSteps(id: number, name: string, bytes: Uint8Array): Step[] {

        return [this.#sql.removeSection.step({ id, name }), ...this.#partSteps(id, name, bytes)];
    }

    /** Returns the bytes of each section of a segment. Throws DamagedSegment when parts are missing. */
    async sizes(id: number): Promise<Map<string, number>> {

        const sizes = new Map<string, number>();
        for (const { name, part, length } of await this.#sql.lengths.read<{ name: string; part: number; length: number }>({ id })) {
            const before = sizes.get(name) ?? 0;
            if (before !== part * PART_BYTES) {
                throw new DamagedSegment(`section ${name} of segment ${id} is not complete`);
            }

            sizes.set(name, before + length);
        }

        return sizes;
    }

    /** Reads bytes of a section into shared memory, part by part. */
    async readRange(id: number, name: string, start: number, end: number): Promise<Uint8Array> {

        const range = new Uint8Array(new SharedArrayBuffer(end - start));
        for (let part = Math.floor(start / PART_BYTES); part * PART_BYTES < end; ++part) {
            const bytes = await this.#part(id, name, part);
            const offset = part * PART_BYTES - start;
            range.set(bytes.subarray(Math.max(-offset, 0), Math.min(end - part * PART_BYTES, PART_BYTES)), Math.max(offset, 0));
            // A large range takes a while; yield to the other work of the process.
            await setImmediate();
        }

        return range;
    }

    /** Reads all sections of a segment into shared memory. */
    async read(id: number): Promise<Map<string, Uint8Array>> {

        const sections = new Map<string, Uint8Array>();
        for (const [name, size] of await this.sizes(id)) {
            sections.set(name, await this.readRange(id, name, 0, size));
        }

        return sections;
    }

    /** Commits another set of segments, with the changes that belong to it. Throws ForgottenIndex when there is no manifest. */
    async switch(change: SegmentSwitch, steps: readonly Step[]): Promise<void> {

        const { added, removed, covered } = change;
        try {
            await this.#commit([
                ...added.map((id) => this.#sql.enlist.step({ id })),
                ...removed.map((id) => this.#sql.retire.step({ id })),
                ...steps,
                this.#sql.cover.step({ owner: this.#owner, covered, now: this.#db.now() }, { expect: { rows: 1, otherwise: NO_MANIFEST } })
            ]);
        }
        catch (error) {
            // The connection was lost during the commit: the stored state shows the outcome.
            if (!(error instanceof DatabaseError) || error.fault !== 'unknown-outcome' || !await this.#isSwitched(change)) {
                throw error;
            }
        }
    }

    /** Deletes segments that are not part of the index. Must not run while a segment is being written. */
    async sweep(): Promise<void> {

        for (const { id } of await this.#sql.leftovers.read<{ id: number }>({ owner: this.#owner })) {
            await this.#removeParts(id);
            await this.#commit([this.#sql.remove.step({ id })]);
        }
    }

    /** Returns the batch up to which the indexes of all nodes have the log; 0 when one of them is incomplete. */
    async coveredByAll(): Promise<number> {

        const found = await this.#sql.leastCovered.first<{ least: number | null; unknown: number }>({});
        return !found || found.unknown > 0 ? 0 : found.least ?? 0;
    }

    /** Removes the indexes of nodes without a heartbeat for some milliseconds. */
    async forgetAbsent(absence: number): Promise<void> {

        await this.#commit([this.#sql.forgetAbsent.step({ since: this.#db.now() - absence, owner: this.#owner })]);
    }

    async #part(id: number, name: string, part: number): Promise<Uint8Array> {

        const row = await this.#sql.part.first<{ crc: number; bytes: Uint8Array }>({ id, name, part });
        if (!row || crc32(row.bytes) !== row.crc) {
            throw new DamagedSegment(`part ${part} of section ${name} of segment ${id} is damaged`);
        }

        return row.bytes;
    }

    #partSteps(id: number, name: string, bytes: Uint8Array): Step[] {

        const steps: Step[] = [];
        for (let part = 0; part === 0 || part * PART_BYTES < bytes.length; ++part) {
            // Drivers do not accept shared memory, hence the copy.
            const chunk = Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
            steps.push(this.#sql.addPart.step({ id, name, part, crc: crc32(chunk), bytes: chunk }));
        }

        return steps;
    }

    /** The set of segments does not tell whether a change that leaves it as it is was stored: that is done again. */
    async #isSwitched({ added, removed }: SegmentSwitch): Promise<boolean> {

        if (added.length === 0 && removed.length === 0) {
            return false;
        }

        const live = new Set((await this.segments()).map(({ id }) => id));
        return added.every((id) => live.has(id)) && !removed.some((id) => live.has(id));
    }

    async #removeParts(id: number): Promise<void> {

        for (;;) {
            const found = await this.#sql.someParts.read<{ name: string; part: number }>({ id });
            if (found.length === 0) {
                return;
            }

            await this.#commit(found.map(({ name, part }) => this.#sql.removePart.step({ id, name, part })));
        }
    }

    /**
     * @param essential false for steps that make the database grow
     */
    async #commit(steps: readonly Step[], essential = true) {

        const result = await this.#db.commit({ steps, essential }).catch(explainFull);
        if (!result.ok && result.failed === NO_MANIFEST) {
            throw new ForgottenIndex('the index of this node was forgotten by others');
        }

        if (!result.ok) {
            throw new Error(`the search index could not be stored: ${result.failed}`);
        }

        return result.steps;
    }
}

function explainFull(error: unknown): never {

    throw error instanceof DatabaseError && error.fault === 'full' ? new NoSpaceForSegment('there is no room for the search index', { cause: error }) : error;
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        manifest: build<'owner'>((knex, bind) => knex('search_manifest').where('owner', bind('owner')).select('layout', 'covered')),
        reset: build<'owner' | 'layout' | 'now'>((knex, bind) => knex('search_manifest')
            .insert({ owner: bind('owner'), layout: bind('layout'), covered: null, seen_on: bind('now') }).onConflict('owner').merge()),
        adopt: build<'owner' | 'layout'>((knex, bind) => knex('search_manifest').where('owner', bind('owner')).update({ layout: bind('layout') })),
        cover: build<'owner' | 'covered' | 'now'>((knex, bind) => knex('search_manifest')
            .where('owner', bind('owner')).update({ covered: bind('covered'), seen_on: bind('now') })),
        seen: build<'owner' | 'now'>((knex, bind) => knex('search_manifest').where('owner', bind('owner')).update({ seen_on: bind('now') })),
        leastCovered: build((knex) => knex('search_manifest').min('covered as least')
            .select(knex.raw('sum(case when covered is null then 1 else 0 end) as unknown'))),
        forgetAbsent: build<'since' | 'owner'>((knex, bind) => knex('search_manifest')
            .where('seen_on', '<', bind('since')).whereNot('owner', bind('owner')).delete()),
        segments: build<'owner'>((knex, bind) => knex('search_segments').where({ owner: bind('owner'), live: 1 }).orderBy('id').select('id', 'documents')),
        leftovers: build<'owner'>((knex, bind) => knex('search_segments')
            .where({ live: 0, owner: bind('owner') }).orWhereNotIn('owner', knex('search_manifest').select('owner'))
            .orderBy('id').limit(1000).select('id')),
        create: build<'owner' | 'documents'>((knex, bind) => knex('search_segments')
            .insert({ owner: bind('owner'), documents: bind('documents'), live: 0 })),
        enlist: build<'id'>((knex, bind) => knex('search_segments').where('id', bind('id')).update({ live: 1 })),
        retire: build<'id'>((knex, bind) => knex('search_segments').where('id', bind('id')).update({ live: 0 })),
        retireAll: build<'owner'>((knex, bind) => knex('search_segments').where('owner', bind('owner')).update({ live: 0 })),
        remove: build<'id'>((knex, bind) => knex('search_segments').where('id', bind('id')).delete()),
        addPart: build<'id' | 'name' | 'part' | 'crc' | 'bytes'>((knex, bind) => knex('search_sections').insert({
            segment_id: bind('id'), name: bind('name'), part: bind('part'), crc: bind('crc'), bytes: bind('bytes')
        })),
        removeSection: build<'id' | 'name'>((knex, bind) => knex('search_sections').where({ segment_id: bind('id'), name: bind('name') }).delete()),
        removePart: build<'id' | 'name' | 'part'>((knex, bind) => knex('search_sections')
            .where({ segment_id: bind('id'), name: bind('name'), part: bind('part') }).delete()),
        lengths: build<'id'>((knex, bind) => knex('search_sections').where('segment_id', bind('id'))
            .orderBy('name').orderBy('part').select('name', 'part', knex.raw('length(bytes) as length'))),
        someParts: build<'id'>((knex, bind) => knex('search_sections').where('segment_id', bind('id'))
            .orderBy('name').orderBy('part').limit(PARTS_PER_BATCH).select('name', 'part')),
        part: build<'id' | 'name' | 'part'>((knex, bind) => knex('search_sections')
            .where({ segment_id: bind('id'), name: bind('name'), part: bind('part') }).select('crc', 'bytes'))
    };
}
