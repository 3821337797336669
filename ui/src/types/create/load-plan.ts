/** What a file of types changes: which types are new, and which of those that the service has are replaced, in which version. */

import { sendJson } from '../../api/client.js';
import { fewAtATime } from '../../api/few-at-a-time.js';
import { quoted } from '../../components/object-query.js';
import type { JsonMap } from '../../json/exact-number.js';
import { writeJson } from '../../json/write-json.js';
import { readDesign, schemaIdOf, schemaOf } from '../../state/design.js';
import type { TypeFile, TypeInFile } from '../model/type-file.js';
import { readTypeObject, type TypeObject } from '../model/type-object.js';

/** What becomes of a type of a file. */
export interface PlannedType {
    readonly type: TypeInFile;
    /** `newId`: a new type that gets another id than in the file, as the service has something else there, such as that type by its present name. */
    readonly state: 'replaces' | 'newId' | 'isNew' | 'unchanged';
    /** The Schema object that is replaced. */
    readonly present: TypeObject | null;
}

/** All types of a file; those that replace others come first. */
export interface LoadPlan {
    readonly file: TypeFile;
    readonly types: readonly PlannedType[];
}

const STATES = ['replaces', 'newId', 'isNew', 'unchanged'] as const;

/** Ids of a search. */
const IDS_PER_SEARCH = 50;

/** Compares a file with what the service has now. @throws RepositoryError */
export async function planOf(file: TypeFile): Promise<LoadPlan> {

    await readDesign();
    const taken = await takenIds(file.types.filter(({ name }) => schemaOf(name) === null).flatMap((type) => idIn(type) ?? []));
    const types = await fewAtATime(file.types, (type) => plannedType(type, taken));
    return { file, types: STATES.flatMap((state) => types.filter((each) => each.state === state)) };
}

async function plannedType(type: TypeInFile, taken: ReadonlySet<string>): Promise<PlannedType> {

    const { name, content, isWhole } = type;
    const schema = schemaOf(name);
    if (!schema) {
        return { type, state: taken.has(idIn(type) ?? '') ? 'newId' : 'isNew', present: null };
    }

    if (!isWhole && writeJson(schema) === writeJson(content['schema'] ?? null)) {
        return { type, state: 'unchanged', present: null };
    }

    const id = schemaIdOf(name);
    return { type, state: 'replaces', present: id === null ? null : await readTypeObject(id) };
}

function idIn({ object }: TypeInFile): string | null {

    return typeof object['id'] === 'string' ? object['id'] : null;
}

/** Those of some ids that objects have, of whatever type. @throws RepositoryError */
async function takenIds(ids: readonly string[]): Promise<ReadonlySet<string>> {

    const parts = Array.from({ length: Math.ceil(ids.length / IDS_PER_SEARCH) }, (_, at) => ids.slice(at * IDS_PER_SEARCH, (at + 1) * IDS_PER_SEARCH));
    const found = await fewAtATime(parts, async (part) => {

        const query = part.map((id) => `id:${quoted(id)}`).join(' ');
        const { results } = await sendJson<{ readonly results: readonly string[] }>('POST', '/search', { query, ids: true, includeVersions: true }, { isRead: true });
        return results;
    });
    return new Set(found.flat());
}

/** True if both say the same of the same versions: what was shown of one is so with the other. */
export function isSamePlan(one: LoadPlan, other: LoadPlan): boolean {

    const textOf = ({ types }: LoadPlan): string =>
        JSON.stringify(types.map(({ type: { name }, state, present }) => [name, state, present?.id, present?.etag]));
    return textOf(one) === textOf(other);
}

/** True for a type of which only the schema is in the file, and type code hides what else is stored of it. */
export function isHidden({ type: { isWhole }, present }: PlannedType): boolean {

    return !isWhole && present?.isResolved === true;
}

/** The object to store: the one that the service has of this name, also when the file has it under another id, and only in the version that was read. */
export function objectOf({ type: { name, content, object, isWhole }, state, present }: PlannedType): JsonMap {

    const { id: _id, ...rest } = object;
    const before = isWhole ? {} : present?.content;
    const version: JsonMap = present ? { ifMatch: present.etag } : { ifNoneMatch: '*' };
    return {
        ...state === 'newId' ? rest : object, ...present ? { id: present.id } : {}, ...version, type: 'Schema', content: { identifier: '', ...before, ...content, name }
    };
}
