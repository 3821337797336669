/** Translates the access of a caller to filters of OpenSearch, by the same rules as matching/acl-filter.ts. */

import type { Admission, SearchAccess, TypeAccess } from '../query/search-access.js';
import type { PrincipalList } from '../mapping/field-mapper.js';
import { ABSENT } from '../mapping/field-mapper.js';
import { exactKey } from './encoding.js';
import { principalKey } from './engine-document.js';
import { ALL, NONE } from './query-translator.js';
import type { EngineQuery } from './query-translator.js';

/** Filters for what a caller may find, and for the objects whose payloads they may search; null for all. */
export interface AccessFilters {
    readonly objects: EngineQuery | null;
    readonly payloads: EngineQuery | null;
}

/** Translates the access of a caller. */
export function translateAccess(access: SearchAccess): AccessFilters {

    const ofTypes = access.onlyTypes ? [{ terms: { type: access.onlyTypes.map(exactKey) } }] : [];
    if (access.all) {
        return { objects: ofTypes.length > 0 ? allOf(ofTypes) : null, payloads: null };
    }

    const { objects, payloads } = new AccessTranslator(access).filters();
    return { objects: allOf([objects, ...ofTypes]), payloads };
}

/** Documents that are versions. */
export const VERSIONS: EngineQuery = { term: { acl: principalKey('versions', ABSENT) } };

class AccessTranslator {

    readonly #access: SearchAccess;

    constructor(access: SearchAccess) {

        this.#access = access;
    }

    filters(): { readonly objects: EngineQuery; readonly payloads: EngineQuery } {

        const writable = this.#list('writers', 'noWriters', ({ write }) => write);
        const readable = anyOf([writable, this.#list('readers', 'noReaders', ({ read }) => read)]);
        const payloads = anyOf([
            writable, this.#list('payloadReaders', 'noPayloadReaders', ({ payload }) => payload),
            // Without a list for payloads, access to the object includes them.
            allOf([this.#absent('noPayloadReaders', ({ payload }) => payload === null), readable])
        ]);
        return { objects: allOf([readable, this.#searchable(writable)]), payloads };
    }

    /** Documents that are found by those who may read them, or by the caller in particular. */
    #searchable(writable: EngineQuery): EngineQuery {

        return anyOf([
            this.#ofTypes(({ search }) => search === null || search.caller),
            allOf([this.#ofTypes(({ search }) => search?.writers ?? false), writable]),
            allOf([this.#ofTypes(({ search }) => search?.creator ?? false), this.#created()]),
            allOf([this.#ofTypes(({ search }) => search?.self ?? false), this.#self()])
        ]);
    }

    /** Documents with a list that admits the caller, be it their own or that of their type. */
    #list(own: PrincipalList, absent: PrincipalList, ofType: (type: TypeAccess) => Admission | null): EngineQuery {

        const either = (entry: 'creator' | 'self'): EngineQuery => anyOf([
            { term: { acl: principalKey(own, entry) } }, this.#absent(absent, (type) => ofType(type)?.[entry] ?? false)
        ]);
        const entries = this.#access.entries.filter((entry) => entry !== '');
        return anyOf([
            entries.length === 0 ? NONE : { terms: { acl: entries.map((entry) => principalKey(own, entry)) } },
            allOf([either('creator'), this.#created()]),
            allOf([either('self'), this.#self()]),
            this.#absent(absent, (type) => ofType(type)?.caller ?? false)
        ]);
    }

    /** Documents without a list of their own whose type passes the test. */
    #absent(list: PrincipalList, test: (type: TypeAccess) => boolean): EngineQuery {

        return allOf([{ term: { acl: principalKey(list, ABSENT) } }, this.#ofTypes(test)]);
    }

    #ofTypes(test: (type: TypeAccess) => boolean): EngineQuery {

        const { defaults, types } = this.#access;
        const byDefault = test(defaults);
        const others = types.filter(([, access]) => test(access) !== byDefault).map(([type]) => exactKey(type));
        if (others.length === 0) {
            return byDefault ? ALL : NONE;
        }

        const listed = { terms: { type: others } };
        return byDefault ? { bool: { must_not: [listed] } } : listed;
    }

    #created(): EngineQuery {

        return this.#isCaller('createdBy');
    }

    #self(): EngineQuery {

        return this.#isCaller('id');
    }

    #isCaller(field: string): EngineQuery {

        const { userId } = this.#access;
        return userId === null ? NONE : { term: { [field]: field === 'id' ? userId : exactKey(userId) } };
    }
}

function allOf(queries: readonly EngineQuery[]): EngineQuery {

    const needed = queries.filter((query) => query !== ALL);
    const [first, ...rest] = needed;
    return needed.includes(NONE) ? NONE : rest.length === 0 ? first ?? ALL : { bool: { filter: needed } };
}

function anyOf(queries: readonly EngineQuery[]): EngineQuery {

    const possible = queries.filter((query) => query !== NONE);
    const [first, ...rest] = possible;
    return possible.includes(ALL) ? ALL : rest.length === 0 ? first ?? NONE : { bool: { should: possible, minimum_should_match: 1 } };
}
