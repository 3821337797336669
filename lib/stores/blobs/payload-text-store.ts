/**
 * Rows of what was found when the bytes of blobs were read as text. They live as long as the blob.
 */

import type { Database, Step } from '../../../db/database.js';
import { MAX_LIST, row, statements } from '../../../db/statements.js';

/** What came of reading a blob, without the text itself. */
export interface TextFacts {
    /** Which text it is; to be given to {@link PayloadTextStore.texts}. */
    readonly key: TextKey;
    /** Which rules it was read by; it may be read again by newer ones. */
    readonly rules: number;
    /** UTF-16 units of the text; 0 when there is none. */
    readonly characters: number;
    /** Why there is no text; null when there is one. */
    readonly reason: string | null;
}

/** A blob, and as what it was read. */
export interface TextKey {
    readonly blobId: number;
    readonly format: string;
}

/** What is kept of one reading. */
export type StoredText = Pick<TextFacts, 'key' | 'rules' | 'reason'> & { readonly text: string | null };

interface FactsRow {
    readonly blob_id: number;
    readonly format: string;
    readonly rules: number;
    readonly characters: number;
    readonly reason: string | null;
}

/** The tag of a unit whose blob is gone. */
export const TEXT_UNWANTED = 'texts:unwanted';

/** Texts of payloads in the database. */
export class PayloadTextStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** What is known of some blobs, by {@link textKeyOf}. */
    async facts(blobIds: readonly number[]): Promise<Map<string, TextFacts>> {

        const found = new Map<string, TextFacts>();
        for (let start = 0; start < blobIds.length; start += MAX_LIST) {
            const { statement, bindings } = this.#sql.facts.with({ blobIds: blobIds.slice(start, start + MAX_LIST) });
            for (const { blob_id, format, rules, characters, reason } of await this.#db.read<FactsRow & Record<string, never>>(statement, bindings)) {
                const key = { blobId: blob_id, format };
                found.set(textKeyOf(key), { key, rules, characters, reason });
            }
        }

        return found;
    }

    /** One text; null when it is gone, or there is none. */
    async text({ blobId, format }: TextKey): Promise<string | null> {

        const { text } = this.#sql;
        const [found] = await this.#db.read<{ text: string | null }>(text, text.values({ blobId, format }));
        return found?.text ?? null;
    }

    /** Keeps what came of a reading; false when nobody needs it any more, as the blob is gone. */
    async save({ key: { blobId, format }, rules, text, reason }: StoredText, now: number): Promise<boolean> {

        const { guard, save } = this.#sql;
        const result = await this.#db.commit({
            steps: [
                guard.step({ blobId }, { expect: { rows: 1, otherwise: TEXT_UNWANTED } }),
                save.step({ blob_id: blobId, format, rules, characters: text?.length ?? 0, text, reason, created_on: now })
            ]
        });
        return result.ok;
    }

    /** The step that removes the texts of a blob, for the unit that removes the blob. */
    removeStep(blobId: number): Step {

        return this.#sql.remove.step({ blobId });
    }
}

/** A text in one word. */
export function textKeyOf({ blobId, format }: TextKey): string {

    return `${blobId} ${format}`;
}

const COLUMNS = ['blob_id', 'format', 'rules', 'characters', 'text', 'reason', 'created_on'] as const;

function buildStatements({ dialect }: Database) {

    const build = statements(dialect);
    return {
        facts: build.list<never, 'blobIds'>((knex, _bind, list) => knex('payload_texts').whereIn('blob_id', list('blobIds'))
            .select('blob_id', 'format', 'rules', 'characters', 'reason')),
        text: build<'blobId' | 'format'>((knex, bind) => knex('payload_texts')
            .where('blob_id', bind('blobId')).where('format', bind('format')).select('text')),
        guard: build<'blobId'>((knex, bind) => knex('blobs').where('id', bind('blobId')).where('links', '>', 0).update({ links: knex.ref('links') })),
        save: build<(typeof COLUMNS)[number]>((knex, bind) => knex('payload_texts').insert(row(bind, COLUMNS)).onConflict(['blob_id', 'format']).merge()),
        remove: build<'blobId'>((knex, bind) => knex('payload_texts').where('blob_id', bind('blobId')).delete())
    };
}
