/** The statements of the table of jobs. */

import type { Knex } from 'knex';
import type { Database } from '../../../db/database.js';
import { row, statements, type Bind } from '../../../db/statements.js';
import { MAX_LEASES } from './due-times.js';

/** `waiting` to be due, `running` on some node, `done`, or `failed` permanently. */
export type JobState = 'waiting' | 'running' | 'done' | 'failed';

/** A row as it is read. */
export interface JobRow {
    readonly id: number;
    readonly kind: string;
    readonly state: JobState;
    readonly payload: string;
    readonly progress: string | null;
    readonly attempts: number;
    readonly last_error: string | null;
}

const COLUMNS = ['id', 'kind', 'state', 'payload', 'progress', 'attempts', 'last_error'];

/** Columns of a job without a lease. */
const UNLEASED = { lease_owner: null, lease_until: null };

/** Built once for a database. */
export type Statements = ReturnType<typeof buildStatements>;

type NewColumn = 'kind' | 'dedup_key' | 'dedup_until' | 'payload' | 'run_at' | 'now';

function insertJob(knex: Knex, bind: Bind<NewColumn>) {

    return knex('jobs').insert({
        ...row(bind, ['kind', 'dedup_key', 'dedup_until', 'payload', 'run_at']),
        state: 'waiting', created_on: bind('now'), updated_on: bind('now')
    }).onConflict(['kind', 'dedup_key']);
}

/** Every change except the first two is conditional: on the job being due, or on the lease being held. */
export function buildStatements(db: Database) {

    const build = statements(db);
    return {
        ...buildChanges(build),
        enqueue: build<NewColumn>((knex, bind) => insertJob(knex, bind).ignore()),
        enqueueOrTouch: build<NewColumn>((knex, bind) => insertJob(knex, bind).merge({ updated_on: knex.raw('jobs.updated_on + 1') })),
        due: build<'kind' | 'now' | 'limit'>((knex, bind) => knex('jobs').select(COLUMNS)
            .where({ kind: bind('kind'), state: 'waiting' }).where('run_at', '<=', bind('now'))
            .orderBy(['run_at', 'id']).limit(bind('limit'))),
        leases: build<'kind'>((knex, bind) => knex('jobs').select('id', 'lease_owner as owner', 'lease_until as until')
            .where({ kind: bind('kind'), state: 'running' }).orderBy('id').limit(MAX_LEASES)),
        early: build<'kind' | 'far' | 'limit'>((knex, bind) => knex('jobs').select(COLUMNS)
            .where({ kind: bind('kind'), state: 'waiting' }).where('run_at', '>', bind('far')).orderBy('id').limit(bind('limit'))),
        get: build<'id'>((knex, bind) => knex('jobs').select(COLUMNS).where('id', bind('id'))),
        current: build<'kind' | 'key'>((knex, bind) => knex('jobs').select(COLUMNS).where({ kind: bind('kind'), dedup_key: bind('key') })),
        outcome: build<'id'>((knex, bind) => knex('jobs').select('state', 'last_error').where('id', bind('id'))),
        list: build<'kind' | 'limit'>((knex, bind) => knex('jobs').select(COLUMNS)
            .where('kind', bind('kind')).orderBy('id', 'desc').limit(bind('limit'))),
        listState: build<'kind' | 'state' | 'limit'>((knex, bind) => knex('jobs').select(COLUMNS)
            .where({ kind: bind('kind'), state: bind('state') }).orderBy('id', 'desc').limit(bind('limit'))),
        recent: build<'limit'>((knex, bind) => knex('jobs').select('id', 'kind', 'state', 'progress', 'attempts', 'last_error', 'created_on')
            .orderBy('id', 'desc').limit(bind('limit'))),
        ended: build<'before' | 'limit'>((knex, bind) => knex('jobs').select('id')
            .whereIn('state', ['done', 'failed']).where('updated_on', '<', bind('before')).orderBy('id').limit(bind('limit'))),
        countDue: build<'now' | 'limit'>((knex, bind) => knex.count({ count: '*' }).from(
            knex('jobs').select('id').where('state', 'waiting').where('run_at', '<=', bind('now')).limit(bind('limit')).as('due'))),
        countFailed: build<'limit'>((knex, bind) => knex.count({ count: '*' }).from(
            knex('jobs').select('id').where('state', 'failed').limit(bind('limit')).as('ended'))),
        remove: build<'id'>((knex, bind) => knex('jobs').delete().where('id', bind('id')).whereIn('state', ['done', 'failed']))
    };
}

function buildChanges(build: ReturnType<typeof statements>) {

    type LeaseParameter = 'id' | 'lease' | 'now';
    const claimed = (knex: Knex, bind: Bind<'lease' | 'until' | 'now'>) => ({
        state: 'running', attempts: knex.raw('attempts + 1'), lease_owner: bind('lease'), lease_until: bind('until'), updated_on: bind('now')
    });
    return {
        claim: build<'id' | 'now' | 'far' | 'lease' | 'until'>((knex, bind) => knex('jobs').update({
            ...claimed(knex, bind), dedup_key: knex.raw('case when dedup_until = ? then null else dedup_key end', ['start'])
        }).where({ id: bind('id'), state: 'waiting' }).whereRaw('(run_at <= ? or run_at > ?)', [bind('now'), bind('far')])),
        // What was seen, for its whole length, must still be there.
        takeOver: build<'id' | 'owner' | 'seen' | 'now' | 'lease' | 'until'>((knex, bind) => knex('jobs').update(claimed(knex, bind))
            .where({ id: bind('id'), state: 'running', lease_owner: bind('owner'), lease_until: bind('seen') })),
        // Others notice a renewal by its later time, so it grows also while the clock stands still or goes back.
        renew: build<LeaseParameter | 'until'>((knex, bind) => knex('jobs').update({
            lease_until: knex.raw('case when lease_until < ? then ? else lease_until + 1 end', [bind('until'), bind('until')]), updated_on: bind('now')
        }).where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        report: build<LeaseParameter | 'progress'>((knex, bind) => knex('jobs')
            .update({ progress: bind('progress'), updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        complete: build<LeaseParameter>((knex, bind) => knex('jobs')
            .update({ ...UNLEASED, state: 'done', dedup_key: null, last_error: null, updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        forget: build<'id' | 'lease'>((knex, bind) => knex('jobs').delete()
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        fail: build<LeaseParameter | 'error'>((knex, bind) => knex('jobs')
            .update({ ...UNLEASED, state: 'failed', dedup_key: null, last_error: bind('error'), updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        retry: build<LeaseParameter | 'error' | 'run_at'>((knex, bind) => knex('jobs')
            .update({ ...UNLEASED, state: 'waiting', run_at: bind('run_at'), last_error: bind('error'), updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        defer: build<LeaseParameter | 'error' | 'run_at' | 'attempts'>((knex, bind) => knex('jobs')
            .update({ ...UNLEASED, state: 'waiting', ...row(bind, ['run_at', 'attempts']), last_error: bind('error'), updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') })),
        again: build<LeaseParameter | 'run_at' | 'attempts'>((knex, bind) => knex('jobs')
            .update({ ...UNLEASED, state: 'waiting', run_at: bind('run_at'), attempts: bind('attempts'), last_error: null, updated_on: bind('now') })
            .where({ id: bind('id'), state: 'running', lease_owner: bind('lease') }))
    };
}
