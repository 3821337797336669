/** Quotas: how many objects and bytes a user and a type may have. Defaults come from the configuration, others from the design. */

import { ADMIN_ID } from '../../model/caller.js';
import type { UsageKey, UsageKind, UsageLimits } from '../../stores/usage-store.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';

/** Options of counting and of quotas; 0 for no limit. */
export interface QuotaOptions {
    /** True to count without default quotas, as for those of the design. */
    readonly countUsage: boolean;
    readonly userObjects: number;
    readonly userBytes: number;
    readonly typeObjects: number;
    readonly typeBytes: number;
}

const UNLIMITED: UsageLimits = { objects: null, bytes: null };

/** The quotas of one service. */
export class Quotas {

    readonly #defaults: Readonly<Record<UsageKind, UsageLimits>>;
    readonly #design: () => JsonObject;

    /** @param design returns the content of the design, with `quotas: { users: { ID: { objects, bytes } }, types: { NAME: … } }` */
    constructor({ userObjects, userBytes, typeObjects, typeBytes }: QuotaOptions, design: () => JsonObject) {

        this.#defaults = {
            user: { objects: userObjects || null, bytes: userBytes || null },
            type: { objects: typeObjects || null, bytes: typeBytes || null }
        };
        this.#design = design;
    }

    /** True if usage has to be counted. */
    static isNeeded({ countUsage, userObjects, userBytes, typeObjects, typeBytes }: QuotaOptions): boolean {

        return countUsage || userObjects + userBytes + typeObjects + typeBytes > 0;
    }

    /** Returns the quota of a user or type. What the administrator created has none by default. */
    of({ kind, name }: UsageKey): UsageLimits {

        const own = memberOf(memberOf(memberOf(this.#design(), 'quotas'), kind === 'user' ? 'users' : 'types'), name);
        const defaults = kind === 'user' && name === ADMIN_ID ? UNLIMITED : this.#defaults[kind];
        return isJsonObject(own) ? { objects: limitIn(own['objects'], defaults.objects), bytes: limitIn(own['bytes'], defaults.bytes) } : defaults;
    }
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {

    return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Null stands for no limit; what is absent for the default. */
function limitIn(value: JsonValue | undefined, fallback: number | null): number | null {

    return value === null || typeof value === 'number' ? value : fallback;
}
