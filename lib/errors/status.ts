/**
 * The one table of statuses: DOIP status id to HTTP code (specification, "Errors"). Translators ask it, handlers name it.
 */

/** Ids of the statuses that the service itself answers with. */
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
const SERVER_FAULT = /\.5\d\d$/;

/** What is known about a status. */
export interface StatusInfo {
    /** The HTTP code that stands for it. */
    readonly http: number;
    readonly reason: string;
}

/** Statuses known to one gateway: the built-in ones and those that its owner registered. */
export class StatusTable {

    private readonly table = new Map<string, StatusInfo>([
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
     * Makes a status of one's own known.
     *
     * @param id a handle, such as `20.500.123/Status.Teapot`; the `0.DOIP/` ids are taken.
     * @param options `http` 200 to 599, default 200. The answer is an error body all the same.
     * @throws Error when the id is taken or the options are wrong.
     */
    register(id: string, options: { http?: number; reason?: string } = {}): void {

        const http = options.http ?? 200;
        if (this.table.has(id) || id.startsWith('0.DOIP/')) {
            throw new Error(`status ${id} is already defined`);
        }

        if (!/^[^/\s]+\/\S+$/.test(id)) {
            throw new Error(`status ${id} must be a handle, prefix/suffix`);
        }

        if (!Number.isInteger(http) || http < 200 || http > 599) {
            throw new Error(`status ${id}: http must be an integer from 200 to 599, got ${http}`);
        }

        this.table.set(id, { http, reason: options.reason ?? id });
    }

    /**
     * The HTTP code of an error. A status of one's own that was thrown is never answered as a success: where no code of at least 400 was
     * registered for it, it is 500 for a status of the class 5xx and 400 for any other.
     */
    errorCode({ status, http }: { readonly status: string; readonly http?: number | undefined }): number {

        const code = http ?? this.info(status).http;
        return code >= 400 ? code : SERVER_FAULT.test(status) ? 500 : 400;
    }

    /** What is known about a status; one that nobody registered counts as a custom status with HTTP 200. */
    info(id: string): StatusInfo {

        return this.table.get(id) ?? { http: 200, reason: id };
    }
}
