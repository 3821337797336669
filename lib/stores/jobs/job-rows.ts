/**
 * Rows and statements of the table of jobs.
 */

import type { Dialect } from '../../../db/database.js';
import { row, statements } from '../../../db/statements.js';
import type { JsonValue } from '../../util/json-types.js';
import type { Job, JobState } from './job.js';

/** A row as it is read. */
export interface JobRow {
    readonly id: number;
    readonly kind: string;
    readonly state: JobState;
    readonly payload: string;
    readonly progress: string | null;
    readonly run_at: number;
    readonly attempts: number;
    readonly last_error: string | null;
    readonly created_on: number;
    readonly updated_on: number;
}

const COLUMNS = ['id', 'kind', 'state', 'payload', 'progress', 'run_at', 'attempts', 'last_error', 'created_on', 'updated_on'];

/** Leaving the lease behind. */
const UNLEASED = { lease_owner: null, lease_until: null };

export function toJob(found: JobRow): Job {

    return {
        id: found.id,
        kind: found.kind,
        state: found.state,
        payload: JSON.parse(found.payload) as JsonValue,
        progress: found.progress === null ? null : JSON.parse(found.progress) as JsonValue,
        runAt: found.run_at,
        attempts: found.attempts,
        lastError: found.last_error,
        createdOn: found.created_on,
        updatedOn: found.updated_on
    };
}

/** Every change but the first one is conditional: on the job being due, or on the lease being held still. */
export function buildJobStatements(dialect: Dialect) {

    const build = statements(dialect);
    return {
        ...buildChanges(build),
        enqueue: build<'kind' | 'dedup_key' | 'dedup_until' | 'payload' | 'run_at' | 'now'>((knex, bind) => knex('jobs').insert({
            ...row(bind, ['kind', 'dedup_key', 'dedup_until', 'payload', 'run_at']),
            state: 'waiting', created_on: bind('now'), updated_on: bind('now')
        }).onConflict(['kind', 'dedup_key']).ignore()),
        due: build<'kind' | 'now' | 'limit'>((knex, bind) => knex('jobs').select(COLUMNS)
            .where({ kind: bind('kind'), state: 'waiting' }).where('run_at', '<=', bind('now'))
            .orderBy(['run_at', 'id']).limit(bind('limit'))),
        expired: build<'kind' | 'now' | 'limit'>((knex, bind) => knex('jobs').select(COLUMNS)
            .where({ kind: bind('kind'), state: 'running' }).where('lease_until', '<', bind('now'))
            .orderBy(['lease_until', 'id']).limit(bind('limit'))),
        nextWaiting: build<'kind'>((knex, bind) => knex('jobs')
            .min({ due: 'run_at' }).where({ kind: bind('kind'), state: 'waiting' })),
        nextExpired: build<'kind'>((knex, bind) => knex('jobs')
            .min({ due: 'lease_until' }).where({ kind: bind('kind'), state: 'running' })),
        get: build<'id'>((knex, bind) => knex('jobs').select(COLUMNS).where('id', bind('id'))),
        outcome: build<'id'>((knex, bind) => knex('jobs').select('state', 'last_error').where('id', bind('id'))),
        list: build<'kind' | 'limit'>((knex, bind) => knex('jobs').select(COLUMNS)
            .where('kind', bind('kind')).orderBy('id', 'desc').limit(bind('limit'))),
        listState: build<'kind' | 'state' | 'limit'>((knex, bind) => knex('jobs').select(COLUMNS)
            .where({ kind: bind('kind'), state: bind('state') }).orderBy('id', 'desc').limit(bind('limit'))),
        ended: build<'before' | 'limit'>((knex, bind) => knex('jobs').select('id')
            .whereIn('state', ['done', 'failed']).where('updated_on', '<', bind('before')).orderBy('id').limit(bind('limit'))),
        remove: build<'id'>((knex, bind) => knex('jobs').delete().where('id', bind('id')).whereIn('state', ['done', 'failed']))
    };
}

function buildChanges(build: ReturnType<typeof statements>) {

    type Held = 'id' | 'lease' | 'now';
    return {
        claim: build<'id' | 'now' | 'lease' | 'until'>((knex, bind) => knex('jobs').update({
            state: 'running', attempts: knex.raw('attempts + 1'),
            dedup_key: knex.raw('case when dedup_until = ? then null else dedup_key end', ['start']),
            lease_owner: bind('lease'), lease_until: bind('until'), updated_on: bind('now')
        }).where('id', bind('id')).whereRaw('(state = ? and run_at <= ? or state = ? and lease_until < ?)',
            ['waiting', bind('now'), 'running', bind('now')])),
        renew: build<Held | 'until'>((knex, bind) => knex('jobs')
            .update({ lease_until: bind('until'), updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        report: build<Held | 'progress'>((knex, bind) => knex('jobs')
            .update({ progress: bind('progress'), updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        complete: build<Held>((knex, bind) => knex('jobs')
            .update({ ...UNLEASED, state: 'done', dedup_key: null, last_error: null, updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        forget: build<'id' | 'lease'>((knex, bind) => knex('jobs').delete()
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        fail: build<Held | 'error'>((knex, bind) => knex('jobs')
            .update({ ...UNLEASED, state: 'failed', dedup_key: null, last_error: bind('error'), updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        retry: build<Held | 'error' | 'run_at'>((knex, bind) => knex('jobs')
            .update({ ...UNLEASED, state: 'waiting', run_at: bind('run_at'), last_error: bind('error'), updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        again: build<Held | 'run_at' | 'attempts'>((knex, bind) => knex('jobs')
            .update({ ...UNLEASED, state: 'waiting', run_at: bind('run_at'), attempts: bind('attempts'), last_error: null, updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') }))
    };
}
