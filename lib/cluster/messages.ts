/** Messages between the primary process and its workers. */

import type { CommitResult, Unit } from '../../db/database.js';
import type { WorkerLoad } from '../metrics/request-tally.js';
import type { CodeSurvey } from '../scripting/hooks/search-code.js';

/** What a worker needs to begin. */
export interface Beginning {
    /** Where clients connect. */
    readonly port: number;
    /** Where the primary process takes requests. */
    readonly socketPath: string;
    readonly secret: string;
    /** Where the search thread takes searches. */
    readonly searchPath: string;
    /** Number of workers. */
    readonly workers: number;
}

/** An error of the system, without its class. */
export interface SystemError {
    readonly message: string;
    readonly code?: string | undefined;
    readonly address?: string | undefined;
    readonly port?: number | undefined;
    readonly syscall?: string | undefined;
}

/**
 * - `listen`: requests can be forwarded. - `open`: the database can be read.
 * - `code`: what type code has to do with searches. - `stored`: the outcome of a unit. - `stop`: requests in progress are to be finished.
 */
export type ToWorker =
    | { readonly kind: 'begin'; readonly beginning: Beginning }
    | { readonly kind: 'listen' }
    | { readonly kind: 'open' }
    | { readonly kind: 'code'; readonly survey: CodeSurvey; readonly history: number }
    | { readonly kind: 'stored'; readonly id: number; readonly result: CommitResult | null }
    | { readonly kind: 'stop' };

/**
 * - `failed`: it cannot listen. - `code`: asks what type code has to do with searches; the answer has the same `history`.
 * - `store`: a unit to be written.
 */
export type FromWorker =
    | { readonly kind: 'ready' }
    | { readonly kind: 'listening' }
    | { readonly kind: 'code'; readonly epoch: number; readonly history: number }
    | { readonly kind: 'load'; readonly load: WorkerLoad }
    | { readonly kind: 'failed'; readonly error: SystemError }
    | { readonly kind: 'store'; readonly id: number; readonly unit: Unit };
