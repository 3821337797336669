/**
 * Access filter: the documents that a caller may read. The access policy is evaluated for all objects of a segment at once. Entries
 * are compared byte for byte; in place of a list that an object does not have, that of its type at the time of the search applies.
 */

import type { AccessRules, AclDefaults } from '../../types/access-rules.js';
import type { ReadPrincipals } from '../../identity/access/access-policy.js';
import { andBits, andNotBits, emptyBits, fullBits, hasBit, orBits, setBit } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { ABSENT } from '../mapping/field-mapper.js';
import type { PrincipalList } from '../mapping/field-mapper.js';
import type { Segment } from '../segment/segment-reader.js';
import type { SearchAccess, TypeAccess, Admission } from '../query/search-access.js';

/** Access to everything. */
export const FULL_ACCESS: SearchAccess = accessOf({ all: true, entries: [], userId: null }, {
    system: { defaultAclRead: [], defaultAclWrite: [], aclCreate: [] }, entryOf: () => undefined, typeNames: () => [], entryNames: () => []
});

/** Returns what a search needs to know about a caller under the current rules. */
export function accessOf(principals: ReadPrincipals, rules: AccessRules): SearchAccess {

    const { all, entries, userId, types: onlyTypes } = principals;
    const entrySet = new Set(entries);
    const admission = (list: readonly string[]): Admission => ({
        caller: list.some((entry) => entrySet.has(entry)),
        creator: userId !== null && list.includes('creator'),
        self: userId !== null && list.includes('self')
    });
    const ofType = ({ defaultAclRead, defaultAclWrite, defaultAclPayloadRead, aclSearch }: AclDefaults): TypeAccess => ({
        read: admission(defaultAclRead), write: admission(defaultAclWrite),
        payload: defaultAclPayloadRead ? admission(defaultAclPayloadRead) : null,
        search: aclSearch ? { ...admission(aclSearch), writers: aclSearch.includes('writers') } : null
    });
    const types: [string, TypeAccess][] = [];
    for (const type of all ? [] : rules.entryNames()) {
        const entry = rules.entryOf(type);
        if (entry) {
            types.push([type, ofType(entry)]);
        }
    }

    const access = { all, entries: all ? [] : entries, userId, defaults: ofType(rules.system), types };
    return onlyTypes ? { ...access, onlyTypes } : access;
}

/** Documents that the caller may read. */
export interface Readable {
    readonly objects: Bits;
    /** Documents whose payloads the caller may search. */
    readonly payloads: Bits;
}

/** Returns the documents of a segment that a caller may read, deleted ones included. */
export function readableDocuments(segment: Segment, access: SearchAccess): Readable {

    const readable = access.all ?
        { objects: fullBits(segment.documents), payloads: fullBits(segment.documents) } : new AccessReader(segment, access).read();
    if (access.onlyTypes) {
        const ofTypes = documentsOfTypes(segment, new Set(access.onlyTypes));
        andBits(readable.objects, ofTypes);
        andBits(readable.payloads, ofTypes);
    }

    return readable;
}

function documentsOfTypes(segment: Segment, types: ReadonlySet<string>): Bits {

    const bits = emptyBits(segment.documents);
    const column = segment.column('type');
    const passes = [false, ...Array.from({ length: column?.count ?? 0 }, (_, i) => types.has(String(column?.value(i))))];
    const typeOf = column?.docOrdinals() ?? [];
    for (let document = 0; document < typeOf.length; ++document) {
        if (passes[typeOf[document] ?? 0]) {
            setBit(bits, document);
        }
    }

    return bits;
}

/** Returns the documents that are versions. */
export function versionDocuments(segment: Segment): Bits {

    const bits = emptyBits(segment.documents);
    addListed(segment, bits, 'versions', ABSENT);
    return bits;
}

class AccessReader {

    readonly #segment: Segment;
    readonly #access: SearchAccess;
    readonly #created: Bits;
    readonly #self: Bits;
    readonly #typeOf: ArrayLike<number>;
    readonly #types: readonly TypeAccess[];

    constructor(segment: Segment, access: SearchAccess) {

        this.#segment = segment;
        this.#access = access;
        this.#created = this.#having('metadata/createdBy');
        this.#self = this.#having('id');
        const column = segment.column('type');
        const rulesByType = new Map(access.types);
        this.#typeOf = column?.docOrdinals() ?? [];
        this.#types = Array.from({ length: column?.count ?? 0 }, (_, i) => rulesByType.get(String(column?.value(i))) ?? access.defaults);
    }

    read(): Readable {

        const writable = this.#list('writers', 'noWriters', ({ write }) => write);
        const [objects, payloads] = [writable.slice(), writable.slice()];
        orBits(objects, this.#list('readers', 'noReaders', ({ read }) => read));
        orBits(payloads, this.#list('payloadReaders', 'noPayloadReaders', ({ payload }) => payload));

        // Without a list for payloads, access to the object includes them.
        const asObject = emptyBits(this.#segment.documents);
        this.#addAbsent(asObject, 'noPayloadReaders', ({ payload }) => payload === null);
        andBits(asObject, objects);
        orBits(payloads, asObject);
        this.#removeUnsearchable(objects, writable);
        return { objects, payloads };
    }

    /** Removes documents that the caller may read but not find (`aclSearch`). */
    #removeUnsearchable(objects: Bits, writable: Bits): void {

        if (this.#types.every(({ search }) => search === null)) {
            return;
        }

        const withheld = emptyBits(this.#segment.documents);
        for (let document = 0; document < this.#typeOf.length; ++document) {
            const search = this.#types[(this.#typeOf[document] ?? 0) - 1]?.search ?? null;
            const isFound = search === null || search.caller || search.writers && hasBit(writable, document) ||
                search.creator && hasBit(this.#created, document) || search.self && hasBit(this.#self, document);
            if (!isFound) {
                setBit(withheld, document);
            }
        }

        andNotBits(objects, withheld);
    }

    /** Returns the documents with a list that admits the caller, be it their own or that of their type. */
    #list(own: PrincipalList, absent: PrincipalList, ofType: (type: TypeAccess) => Admission | null): Bits {

        const segment = this.#segment;
        const admitted = emptyBits(segment.documents);
        for (const entry of this.#access.entries) {
            addListed(segment, admitted, own, entry);
        }

        for (const [entry, matching] of [['creator', this.#created], ['self', this.#self]] as const) {
            const either = emptyBits(segment.documents);
            addListed(segment, either, own, entry);
            this.#addAbsent(either, absent, (type) => ofType(type)?.[entry] ?? false);
            andBits(either, matching);
            orBits(admitted, either);
        }

        this.#addAbsent(admitted, absent, (type) => ofType(type)?.caller ?? false);
        return admitted;
    }

    /** Adds documents without a list of their own whose type passes the test. */
    #addAbsent(bits: Bits, absent: PrincipalList, test: (type: TypeAccess) => boolean): void {

        const passes = [false, ...this.#types.map(test)];
        if (!passes.includes(true)) {
            return;
        }

        const list = emptyBits(this.#segment.documents);
        addListed(this.#segment, list, absent, ABSENT);
        if (passes.slice(1).includes(false)) {
            const unrelated = emptyBits(this.#segment.documents);
            for (let document = 0; document < this.#typeOf.length; ++document) {
                if (!passes[this.#typeOf[document] ?? 0]) {
                    setBit(unrelated, document);
                }
            }

            andNotBits(list, unrelated);
        }

        orBits(bits, list);
    }

    /** Returns documents with the id of the caller as the value of a column. */
    #having(name: string): Bits {

        const bits = emptyBits(this.#segment.documents);
        const { userId } = this.#access;
        const column = userId === null ? null : this.#segment.column(name);
        const ordinal = column?.findText(userId ?? '') ?? -1;
        if (column && ordinal !== -1) {
            const ordinals = column.docOrdinals();
            for (let document = 0; document < ordinals.length; ++document) {
                if (ordinals[document] === ordinal + 1) {
                    setBit(bits, document);
                }
            }
        }

        return bits;
    }
}

/** Adds the documents whose list has an entry. */
function addListed(segment: Segment, bits: Bits, list: PrincipalList, entry: string): void {

    const dictionary = segment.dictionary('principal');
    const term = dictionary.find(entry);
    const found = term === -1 ? -1 : dictionary.entry(term, segment.field(list));
    if (found !== -1) {
        dictionary.postings.addTo(bits, found);
    }
}
