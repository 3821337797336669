/**
 * The table of statuses: DOIP status id → HTTP code (specification, "Errors").
 */

/** Ids of the statuses that the service itself uses. */
export const Status = {
    ok: '0.DOIP/Status.001',
    badRequest: '0.DOIP/Status.101',
    unauthenticated: '0.DOIP/Status.102',
    forbidden: '0.DOIP/Status.103',
    notFound: '0.DOIP/Status.104',
    conflict: '0.DOIP/Status.105',
    declined: '0.DOIP/Status.200',
    internal: '0.DOIP/Status.500'
} as const;

/** Ids of statuses of the class 5xx. */
const SERVER_ERROR = /\.5\d\d$/;

/** Properties of a status. */
export interface StatusInfo {
    /** The corresponding HTTP code. */
    readonly http: number;
    readonly reason: string;
}

/** Statuses of one gateway: built-in and registered ones. */
export class StatusTable {

    readonly #table = new Map<string, StatusInfo>([
        [Status.ok, { http: 200, reason: 'success' }],
        [Status.badRequest, { http: 400, reason: 'invalid request' }],
        [Status.unauthenticated, { http: 401, reason: 'unauthenticated' }],
        [Status.forbidden, { http: 403, reason: 'not permitted' }],
        [Status.notFound, { http: 404, reason: 'not found' }],
        [Status.conflict, { http: 409, reason: 'conflict' }],
        [Status.declined, { http: 400, reason: 'declined' }],
        [Status.internal, { http: 500, reason: 'internal error' }]
    ]);

    /**
     * Registers a custom status.
     *
     * @param id a handle such as `20.500.123/Status.Teapot`; `0.DOIP/` ids are reserved
     * @param options `http` 200 to 599, default 200; the response has an error body all the same
     * @throws Error if the id is taken or the options are invalid
     */
    register(id: string, options: { http?: number; reason?: string } = {}): void {

        const http = options.http ?? 200;
        if (this.#table.has(id) || id.startsWith('0.DOIP/')) {
            throw new Error(`status ${id} is already defined`);
        }

        if (!/^[^/\s]+\/\S+$/.test(id)) {
            throw new Error(`status ${id} must be a handle, prefix/suffix`);
        }

        if (!Number.isInteger(http) || http < 200 || http > 599) {
            throw new Error(`status ${id}: http must be an integer from 200 to 599, got ${http}`);
        }

        this.#table.set(id, { http, reason: options.reason ?? id });
    }

    /**
     * Returns the HTTP code of an error. A custom status that was thrown is never sent as a success: without a registered code
     * of at least 400 it is 500 for a status of the class 5xx, else 400.
     */
    errorCode({ status, http }: { readonly status: string; readonly http?: number | undefined }): number {

        const code = http ?? this.info(status).http;
        return code >= 400 ? code : SERVER_ERROR.test(status) ? 500 : 400;
    }

    /** True for a built-in or registered status. */
    has(id: string): boolean {

        return this.#table.has(id);
    }

    /** Returns the properties of a status; one that is not registered counts as a custom status with HTTP 200. */
    info(id: string): StatusInfo {

        return this.#table.get(id) ?? { http: 200, reason: id };
    }
}
