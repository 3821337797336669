/** Uploads of all objects while they run: how far they are, and what makes one wait, and then be rejected. */

import Mysql from 'mysql2/promise';
import type { Database } from '../../db/database.js';
import type { TestDatabase } from './database.js';

/** The job of an upload. */
export interface UploadState {
    readonly id: number;
    readonly state: string;
    readonly attempts: number;
    /** Empty before the first progress record. */
    readonly phase: string;
}

/** Returns the newest upload. */
export async function newestUpload(database: Database): Promise<UploadState> {

    const [found] = await database.read<Omit<UploadState, 'phase'> & { progress: string | null }>(
        { sql: 'select id, state, attempts, progress from jobs where kind = \'objects.upload\' order by id desc limit 1' }, []);
    const { progress, ...job } = found ?? { id: 0, state: '', attempts: 0, progress: null };
    return { ...job, phase: (JSON.parse(progress ?? 'null') as { phase: string } | null)?.phase ?? '' };
}

/** Name of a type that somebody is about to take: an upload that stores it waits for the outcome, when it has validated everything. */
export interface ContestedName {
    /** Takes it, so that the upload is rejected. */
    take(): Promise<void>;
    /** Leaves it to the upload. */
    leave(): Promise<void>;
    close(): void;
}

/** Begins to take the name `Ghost`, on MySQL. */
export async function contestName({ options: { url } }: TestDatabase): Promise<ContestedName> {

    const connection = await Mysql.createConnection(url ?? '');
    await connection.query('begin');
    await connection.query('insert into type_names (name, schema_id) values (\'Ghost\', \'test/nobody\')');
    return {
        async take() {

            await connection.query('commit');
        },
        async leave() {

            await connection.query('rollback');
        },
        close: () => connection.destroy()
    };
}
