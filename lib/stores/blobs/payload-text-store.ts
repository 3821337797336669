/**
 * Rows of the texts extracted from blobs. They are deleted with the blob.
 */

import type { Database, Step } from '../../../db/database.js';
import { MAX_LIST, row, statements } from '../../../db/statements.js';

/** Result of an extraction, without the text itself. */
export interface TextFacts {
    /** Key of the text, for {@link PayloadTextStore.text}. */
    readonly key: TextKey;
    /** Version of the extraction rules; with newer ones the text can be extracted again. */
    readonly rules: number;
    /** Length of the text in UTF-16 units; 0 when there is none. */
    readonly characters: number;
    /** Reason why there is no text; null when there is one. */
    readonly reason: string | null;
}

/** A blob, and the format that its bytes were read as. */
export interface TextKey {
    readonly blobId: number;
    readonly format: string;
}

/** Result of an extraction, with the text. */
export type StoredText = Pick<TextFacts, 'key' | 'rules' | 'reason'> & { readonly text: string | null };

type FactsRow = Omit<TextFacts, 'key'> & { readonly blob_id: number; readonly format: string };

/** Tag of a unit whose blob was removed. */
const TEXT_UNWANTED = 'texts:unwanted';

/** Extracted texts in the database. */
export class PayloadTextStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Returns the results for some blobs, by {@link textKeyOf}. */
    async facts(blobIds: readonly number[]): Promise<Map<string, TextFacts>> {

        const found = new Map<string, TextFacts>();
        for (let start = 0; start < blobIds.length; start += MAX_LIST) {
            const rows = await this.#sql.facts.read<FactsRow>({ blobIds: blobIds.slice(start, start + MAX_LIST) });
            for (const { blob_id, format, rules, characters, reason } of rows) {
                const key = { blobId: blob_id, format };
                found.set(textKeyOf(key), { key, rules, characters, reason });
            }
        }

        return found;
    }

    /** Returns one text; null when it was deleted, or there is none. */
    async text({ blobId, format }: TextKey): Promise<string | null> {

        const found = await this.#sql.text.first<{ text: string | null }>({ blobId, format });
        return found?.text ?? null;
    }

    /** Stores the result of an extraction; returns false when the blob was removed meanwhile. */
    async save({ key: { blobId, format }, rules, text, reason }: StoredText, now: number): Promise<boolean> {

        const { guard: lockBlob, save } = this.#sql;
        const result = await this.#db.commit({
            steps: [
                lockBlob.step({ blobId }, { expect: { rows: 1, otherwise: TEXT_UNWANTED } }),
                save.step({ blob_id: blobId, format, rules, characters: text?.length ?? 0, text, reason, created_on: now })
            ]
        });
        return result.ok;
    }

    /** Returns the step that deletes the texts of a blob, for the unit that deletes the blob. */
    removeStep(blobId: number): Step {

        return this.#sql.remove.step({ blobId });
    }
}

/** Returns a key as one string. */
export function textKeyOf({ blobId, format }: TextKey): string {

    return `${blobId} ${format}`;
}

const COLUMNS = ['blob_id', 'format', 'rules', 'characters', 'text', 'reason', 'created_on'] as const;

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        facts: build.list<never, 'blobIds'>((knex, _bind, list) => knex('payload_texts').whereIn('blob_id', list('blobIds'))
            .select('blob_id', 'format', 'rules', 'characters', 'reason')),
        text: build<'blobId' | 'format'>((knex, bind) => knex('payload_texts')
            .where('blob_id', bind('blobId')).where('format', bind('format')).select('text')),
        guard: build<'blobId'>((knex, bind) => knex('blobs').where('id', bind('blobId')).where('links', '>', 0).increment('checks')),
        save: build<(typeof COLUMNS)[number]>((knex, bind) => knex('payload_texts').insert(row(bind, COLUMNS)).onConflict(['blob_id', 'format']).merge()),
        remove: build<'blobId'>((knex, bind) => knex('payload_texts').where('blob_id', bind('blobId')).delete())
    };
}
