/**
 * Rows of the audit log, and of the seals that chain them.
 *
 * Seals follow each other by id, and sealing writes nothing to the entries. On a server, ids are assigned before the commit, so that an entry may
 * become visible after later ones were sealed, in a gap of their ids: a seal with gaps lists the ids that it covers, and a late seal those that
 * came later.
 */

import { hash } from 'node:crypto';
import type { Database, Step } from '../../db/database.js';
import { row, statements } from '../../db/statements.js';

/** An entry to append. */
export interface NewAuditRow {
    /** Epoch ms. */
    readonly at: number;
    /** JSON. */
    readonly entry: string;
}

/** An entry. */
export interface AuditRow extends NewAuditRow {
    readonly id: number;
}

/** A seal: the hash of some entries and of the seal before. */
export interface AuditSeal {
    /** From 1, without gaps. */
    readonly seal: number;
    /** The entries are those from `firstId` to `lastId`, or of `ids`; both are 0 for a late seal. */
    readonly firstId: number;
    readonly lastId: number;
    /** Null if there are no gaps. */
    readonly ids: readonly number[] | null;
    /** Hashes of the users and objects in its entries: see {@link termOf}. */
    readonly terms: ReadonlySet<number>;
    readonly entries: number;
    /** Epoch ms. */
    readonly sealedOn: number;
    readonly previous: string;
    readonly hash: string;
}

/** Maximum number of entries of one seal, and of one read. */
export const AUDIT_ROWS = 500;

const SEALS_PER_READ = 50;

/** Number of the last seals with gaps in which late entries are looked for. */
const SEALS_WITH_GAPS = 200;

/** `failed` when another node has sealed at the same time. */
const SEALED = 'audit:sealed';

/** `failed` when another node has removed seals meanwhile. */
const PURGED = 'audit:purged';

const COLUMNS = ['at', 'entry'] as const;

const SEAL_COLUMNS = ['seal', 'first_id', 'last_id', 'ids', 'terms', 'entries', 'sealed_on', 'previous', 'hash'] as const;

const TERM_BYTES = 4;

/** The audit log in the database. */
export class AuditStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** True if an entry may become visible after one with a greater id, as it does not in an embedded database. */
    get mayFillGaps(): boolean {

        return this.#db.dialect !== 'sqlite';
    }

    /** Returns the step that appends an entry. */
    appendStep({ at, entry }: NewAuditRow): Step {

        return this.#sql.append.step({ at, entry });
    }

    /** Appends entries. @param essential true to append them also when free space is short */
    async append(rows: readonly NewAuditRow[], { essential = false }: { readonly essential?: boolean } = {}): Promise<void> {

        await this.#db.commit({ steps: rows.map((each) => this.appendStep(each)), shared: true, essential });
    }

    /** Returns up to {@link AUDIT_ROWS} entries, newest first. */
    async before(id: number): Promise<AuditRow[]> {

        return this.#sql.before.read<AuditRow>({ id });
    }

    /** Returns up to 50 seals with entries before an id, last first; without late ones. */
    async sealsBefore(id: number): Promise<AuditSeal[]> {

        return (await this.#sql.sealsBefore.read<StoredSeal>({ id })).map(toSeal);
    }

    /** Returns the smallest id from `id` on, with its time; null if there is none. */
    async from(id: number): Promise<Pick<AuditRow, 'id' | 'at'> | null> {

        return await this.#sql.from.first<{ id: number; at: number }>({ id }) ?? null;
    }

    /** Returns the greatest id; 0 if there is no entry. */
    async lastId(): Promise<number> {

        return Number((await this.#sql.lastId.first<{ last: number | null }>({}))?.last ?? 0);
    }

    /** Returns the id up to which entries are sealed, except late ones; 0 if none are. */
    async sealedUpTo(): Promise<number> {

        return Number((await this.#sql.sealedUpTo.first<{ last: number | null }>({}))?.last ?? 0);
    }

    /** Returns up to {@link AUDIT_ROWS} entries after an id, ascending. */
    async after(id: number): Promise<AuditRow[]> {

        return this.#sql.after.read<AuditRow>({ id });
    }

    /** Returns up to {@link AUDIT_ROWS} entries that became visible after those around them were sealed. */
    async unsealedInGaps(): Promise<AuditRow[]> {

        if (!this.mayFillGaps) {
            return [];
        }

        const seals = (await this.#sql.withGaps.read<StoredSeal>({})).map(toSeal);
        const others: number[] = [];
        for (const { firstId, lastId, ids } of seals) {
            const covered = new Set(ids);
            const present = await this.#sql.idsBetween.read<{ id: number }>({ firstId, lastId });
            others.push(...present.map(({ id }) => id).filter((id) => !covered.has(id)));
        }

        const sealed = others.length === 0 ? new Set() : await this.sealedInGaps();
        const missing = others.filter((id) => !sealed.has(id)).slice(0, AUDIT_ROWS);
        return missing.length === 0 ? [] : this.#byIds(missing);
    }

    /** Returns the ids that late seals cover. */
    async sealedInGaps(): Promise<Set<number>> {

        const seals = await this.#sql.sealsOfGaps.read<Pick<StoredSeal, 'ids'>>({});
        return new Set(seals.flatMap(({ ids }) => (ids === null ? [] : JSON.parse(ids) as number[])));
    }

    /** Returns the entries of a seal, ascending by id; and those in its range that it does not cover, since they are late or were added. */
    async entriesOf({ firstId, lastId, ids }: AuditSeal): Promise<{ readonly rows: readonly AuditRow[]; readonly others: readonly number[] }> {

        if (lastId === 0) {
            return { rows: await this.#byIds(ids ?? []), others: [] };
        }

        const found = await this.#sql.between.read<AuditRow>({ firstId, lastId });
        if (!ids) {
            return { rows: found, others: [] };
        }

        const covered = new Set(ids);
        return { rows: found.filter(({ id }) => covered.has(id)), others: found.filter(({ id }) => !covered.has(id)).map(({ id }) => id) };
    }

    /** Returns up to 50 seals, ascending from a number. */
    async seals(from: number): Promise<AuditSeal[]> {

        return (await this.#sql.seals.read<StoredSeal>({ from })).map(toSeal);
    }

    /** Returns the first seal that is not a late one; null if there is none. */
    async firstInOrder(): Promise<AuditSeal | null> {

        const found = await this.#sql.firstInOrder.first<StoredSeal>({});
        return found ? toSeal(found) : null;
    }

    /** Returns the last seal; null if there is none. */
    async lastSeal(): Promise<AuditSeal | null> {

        const found = await this.#sql.lastSeal.first<StoredSeal>({});
        return found ? toSeal(found) : null;
    }

    /** Adds a seal; false when another node was faster. */
    async seal({ seal, firstId, lastId, ids, terms, entries, sealedOn, previous, hash }: AuditSeal): Promise<boolean> {

        const step = this.#sql.addSeal.step({
            seal, first_id: firstId, last_id: lastId, ids: ids && JSON.stringify(ids), terms: toBytes(terms), entries, sealed_on: sealedOn, previous, hash
        }, { duplicate: SEALED });
        return (await this.#db.commit({ steps: [step], essential: true })).ok;
    }

    /** Deletes seals with their entries, and appends an entry about it; false, with nothing written, when another node has deleted any of them. */
    async purge(seals: readonly AuditSeal[], record: NewAuditRow): Promise<boolean> {

        const numbers = seals.map(({ seal }) => seal);
        const removed = this.#sql.removeSeals.step({ seals: numbers }, { expect: { rows: seals.length, otherwise: PURGED } });
        const removals = seals.map(({ firstId, lastId, ids }) =>
            (ids ? this.#sql.removeIds.step({ ids }) : this.#sql.removeBetween.step({ firstId, lastId })));
        return (await this.#db.commit({ steps: [removed, ...removals, this.appendStep(record)], essential: true })).ok;
    }

    async #byIds(ids: readonly number[]): Promise<AuditRow[]> {

        return (await this.#sql.byIds.read<AuditRow>({ ids })).sort((a, b) => a.id - b.id);
    }
}

interface StoredSeal {
    readonly seal: number;
    readonly first_id: number;
    readonly last_id: number;
    readonly ids: string | null;
    readonly terms: Buffer;
    readonly entries: number;
    readonly sealed_on: number;
    readonly previous: string;
    readonly hash: string;
}

/** Returns the hash of a user or object, by which a search skips seals without entries of it. */
export function termOf(kind: 'user' | 'object', id: string): number {

    return hash('sha256', `${kind} ${id}`, 'buffer').readUInt32BE();
}

function toBytes(terms: ReadonlySet<number>): Buffer {

    const bytes = Buffer.alloc(terms.size * TERM_BYTES);
    [...terms].sort((a, b) => a - b).forEach((term, i) => bytes.writeUInt32BE(term, i * TERM_BYTES));
    return bytes;
}

function toTerms(bytes: Buffer): Set<number> {

    return new Set(Array.from({ length: bytes.length / TERM_BYTES }, (_, i) => bytes.readUInt32BE(i * TERM_BYTES)));
}

function toSeal({ seal, first_id: firstId, last_id: lastId, ids, terms, entries, sealed_on: sealedOn, previous, hash }: StoredSeal): AuditSeal {

    return { seal, firstId, lastId, ids: ids === null ? null : JSON.parse(ids) as number[], terms: toTerms(terms), entries, sealedOn, previous, hash };
}

function buildStatements(db: Database) {

    const build = statements(db);
    const [entries, seals] = ['audit_entries', 'audit_seals'];
    const rows = ['id', ...COLUMNS];
    return {
        append: build<(typeof COLUMNS)[number]>((knex, bind) => knex(entries).insert(row(bind, COLUMNS))),
        before: build<'id'>((knex, bind) => knex(entries).where('id', '<', bind('id')).orderBy('id', 'desc').limit(AUDIT_ROWS).select(rows)),
        sealsBefore: build<'id'>((knex, bind) => knex(seals)
            .where('first_id', '<', bind('id')).where('last_id', '>', 0).orderBy('last_id', 'desc').limit(SEALS_PER_READ).select('*')),
        from: build<'id'>((knex, bind) => knex(entries).where('id', '>=', bind('id')).orderBy('id').limit(1).select('id', 'at')),
        lastId: build((knex) => knex(entries).max('id as last')),
        sealedUpTo: build((knex) => knex(seals).max('last_id as last')),
        after: build<'id'>((knex, bind) => knex(entries).where('id', '>', bind('id')).orderBy('id').limit(AUDIT_ROWS).select(rows)),
        withGaps: build((knex) => knex(seals).whereNotNull('ids').where('last_id', '>', 0).orderBy('last_id', 'desc').limit(SEALS_WITH_GAPS).select('*')),
        sealsOfGaps: build((knex) => knex(seals).where('last_id', 0).select('ids')),
        idsBetween: build<'firstId' | 'lastId'>((knex, bind) => knex(entries).whereBetween('id', [bind('firstId'), bind('lastId')]).select('id')),
        between: build<'firstId' | 'lastId'>((knex, bind) => knex(entries)
            .whereBetween('id', [bind('firstId'), bind('lastId')]).orderBy('id').limit(2 * AUDIT_ROWS).select(rows)),
        byIds: build.list<never, 'ids'>((knex, _bind, list) => knex(entries).whereIn('id', list('ids')).select(rows)),
        seals: build<'from'>((knex, bind) => knex(seals).where('seal', '>=', bind('from')).orderBy('seal').limit(SEALS_PER_READ).select('*')),
        firstInOrder: build((knex) => knex(seals).where('last_id', '>', 0).orderBy('seal').limit(1).select('*')),
        lastSeal: build((knex) => knex(seals).orderBy('seal', 'desc').limit(1).select('*')),
        addSeal: build<keyof StoredSeal>((knex, bind) => knex(seals).insert(row(bind, SEAL_COLUMNS))),
        removeBetween: build<'firstId' | 'lastId'>((knex, bind) => knex(entries).whereBetween('id', [bind('firstId'), bind('lastId')]).delete()),
        removeIds: build.list<never, 'ids'>((knex, _bind, list) => knex(entries).whereIn('id', list('ids')).delete()),
        removeSeals: build.list<never, 'seals'>((knex, _bind, list) => knex(seals).whereIn('seal', list('seals')).delete())
    };
}
