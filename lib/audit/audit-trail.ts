/**
 * Records what is done in the audit log. A change of an object is recorded in the unit that stores it, other operations before their response,
 * and denied requests soon after.
 */

import type { Logger } from 'pino';
import type { Step } from '../../db/database.js';
import { DoipError } from '../errors/errors.js';
import { Status } from '../errors/status.js';
import type { Policy } from '../identity/access/access-policy.js';
import { ANONYMOUS_AUTHOR, type Caller } from '../model/caller.js';
import type { RequestOrigin } from '../model/request-origin.js';
import type { ObjectChange, WriteParticipant } from '../model/write-participant.js';
import type { AuditStore } from '../stores/audit-store.js';
import type { JsonObject } from '../util/json-types.js';
import { changeFacts, toAuditRow } from './audit-entry.js';
import { Denials } from './denials.js';

/** Dependencies. */
export interface AuditTrailParts {
    readonly store: AuditStore;
    readonly policy: Pick<Policy, 'canCreate' | 'canWrite'>;
    readonly log: Logger;
    readonly now: () => number;
}

/** An operation that was performed, or denied. */
export interface AuditedRequest {
    readonly caller: Caller | null;
    readonly origin: RequestOrigin;
    readonly targetId: string;
    /** What it did to a user, key or token, by ids. */
    readonly more?: JsonObject;
}

/** Records entries. */
export class AuditTrail implements WriteParticipant {

    readonly #parts: AuditTrailParts;
    readonly #denials: Denials;
    readonly #recorded = new WeakSet<Error>();

    constructor(parts: AuditTrailParts) {

        this.#parts = parts;
        this.#denials = new Denials(parts);
    }

    steps(change: ObjectChange): Step[] {

        return [this.#parts.store.appendStep(toAuditRow(changeFacts(change, this.#ruleOf(change))))];
    }

    committed({ caller: { origin } }: ObjectChange): void {

        if (origin) {
            origin.changes += 1;
        }
    }

    /** Records an operation that has changed no object. Resolves when the entry is durable. */
    async performed({ caller, origin, targetId, more }: AuditedRequest, rule: string | null): Promise<void> {

        const { store, now } = this.#parts;
        // Logins and revocations are stored without free space, too; not what needs no credentials, which anybody can repeat for ever.
        const essential = more !== undefined || caller !== null && caller.userId !== null;
        await store.append([toAuditRow({ at: now(), outcome: 'performed', objectId: targetId, more: more ?? {}, rule, caller, origin })], { essential });
    }

    /** Records an operation that has failed, where that counts as performed; not one that was denied. Resolves when the entry is durable. */
    async failed(request: AuditedRequest, error: unknown): Promise<void> {

        if (!isDenial(error)) {
            await this.performed(request, null);
        }
    }

    /** Records a request that was denied for lack of a login or of rights, or by a rate limit or quota; other errors are none of its concern. Never throws. */
    denied({ caller, origin, targetId }: AuditedRequest, error: unknown): void {

        if (!isDenial(error) || this.#recorded.has(error)) {
            return;
        }

        // An operation may pass on the error of a request that it performed for its caller.
        this.#recorded.add(error);
        this.#denials.add({ at: this.#parts.now(), outcome: 'denied', objectId: targetId, rule: ruleOf(error), caller, origin });
    }

    /** Writes all denials. */
    async flush(): Promise<void> {

        await this.#denials.flush();
    }

    /** Writes all denials, and stops. */
    async close(): Promise<void> {

        await this.#denials.close();
    }

    #ruleOf({ before, after, caller }: ObjectChange): string {

        const { policy } = this.#parts;
        const subject = before ?? after;
        if (caller.method === 'internal' || !subject) {
            return caller.origin ? `the service itself, in a request of ${caller.actorId ?? ANONYMOUS_AUTHOR}` : 'the service itself';
        }

        const isNew = !before && !subject.metadata.isVersion;
        const { allowed, reason } = isNew ? policy.canCreate(caller, subject.type) : policy.canWrite(caller, subject);
        return allowed ? reason : `code of type ${subject.type}`;
    }
}

/** True for the error of a request that is recorded as denied. */
function isDenial(error: unknown): error is DoipError {

    return error instanceof DoipError && (DENIALS.has(error.status) || LIMITS.has(error.http ?? 0));
}

const DENIALS: ReadonlySet<string> = new Set([Status.unauthenticated, Status.forbidden]);

/** Codes of HTTP of what exceeds a rate limit or quota. */
const LIMITS: ReadonlySet<number> = new Set([429, 507]);

/** Of a limit, the part of the message that is the same for each request, so that equal denials are counted. */
function ruleOf({ reason, message, http }: DoipError): string {

    return reason ?? (LIMITS.has(http ?? 0) ? message.split(':', 1)[0] ?? message : message);
}
