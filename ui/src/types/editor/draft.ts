/** The type that is edited: what is stored, and what the user has changed. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { RepositoryError } from '../../api/client.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { withMember, withoutMember } from '../../json/pointer.js';
import { JsonSyntaxError, parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';
import { isAbort, textOf } from '../../state/messages.js';
import { writeTypeObject, type TypeObject } from '../model/type-object.js';

/** An error of the service in the Schema object. Lines and columns, from 1, are those of code. */
export interface TypeError {
    readonly pointer: string;
    readonly message: string;
    readonly line?: number;
    readonly column?: number;
}

/** What is edited. */
export interface Draft {
    readonly base: TypeObject;
    /** The version over which it is stored: that of the base, or an older one of what was typed before. */
    readonly version: string | null;
    readonly content: JsonMap;
    /** The schema as text, while it is edited as such. */
    readonly schemaText: string;
    /** False while the schema, or another text of JSON, has a syntax error. */
    readonly isValidJson: boolean;
    readonly isValidSchema: boolean;
    /** The text at a place, by its JSON pointer, that has a syntax error; null without one. */
    readonly faultyText: (place: string) => string | null;
    readonly isChanged: boolean;
    readonly isSchemaChanged: boolean;
    readonly isCodeChanged: boolean;
    /** Sets a member of the Schema object; undefined removes it. */
    readonly set: (member: string, value: Json | undefined) => void;
    readonly setSchemaText: (text: string) => void;
    /** Keeps the text of a place that has a syntax error, and so no value; null when it has one again. */
    readonly setFaultyText: (place: string, text: string | null) => void;
    /** Replaces all members. */
    readonly replace: (content: JsonMap) => void;
    /** Begins again with another version. With `keep` the changes stay. */
    readonly reset: (base: TypeObject, options?: { readonly keep?: boolean }) => void;
    readonly typed: Typed;
    /** Goes on with what was typed before, to be stored over this version and no other. */
    readonly retype: (typed: Typed, version: string | null) => void;
}

/** What somebody has typed: the members, and texts that are no members yet. */
export interface Typed {
    readonly content: JsonMap;
    /** The schema as text; null while it is not edited as such. */
    readonly text: string | null;
    /** Texts with a syntax error by the JSON pointers of their places. */
    readonly faulty: Readonly<Record<string, string>>;
}

/** Spaces of an indentation. */
const INDENT = 2;

interface State {
    readonly base: TypeObject;
    readonly version: string | null;
    readonly content: JsonMap;
    readonly text: string | null;
    readonly faulty: ReadonlyMap<string, string>;
}

const NO_FAULTS: ReadonlyMap<string, string> = new Map();

/** Returns what says later whether the user has changed the draft since. */
export function useIsTypedOn(draft: Draft): () => boolean {

    const latest = useRef(draft);
    latest.current = draft;
    return () => latest.current.content !== draft.content || latest.current.schemaText !== draft.schemaText || !latest.current.isValidJson;
}

function stateOf(base: TypeObject): State {

    return { base, version: base.etag, content: base.content, text: null, faulty: NO_FAULTS };
}

/** The draft of a type that was read. */
export function useDraft(stored: TypeObject): Draft {

    const [{ base, version, content, text, faulty }, setState] = useState<State>(() => stateOf(stored));
    const written = writeJson(content['schema'] ?? null, INDENT);
    const isValidSchema = text === null || parsed(text) !== undefined;
    const isValidJson = isValidSchema && faulty.size === 0;
    const differs = (member: string): boolean => writeJson(base.content[member] ?? null) !== writeJson(content[member] ?? null);
    return {
        base, version, content, schemaText: text ?? written, isValidJson, isValidSchema,
        isChanged: !isValidJson || writeJson(base.content) !== writeJson(content), isSchemaChanged: differs('schema'), isCodeChanged: differs('javascript'),
        faultyText: (place) => faulty.get(place) ?? null,
        setFaultyText: (place, next) => setState((state) => ({ ...state, faulty: withText(state.faulty, place, next) })),
        set: (member, value) => setState((state) => ({
            ...state, content: (value === undefined ? withoutMember(state.content, member) : withMember(state.content, member, value)) as JsonMap,
            text: member === 'schema' ? null : state.text
        })),
        setSchemaText: (next) => setState((state) => {

            const schema = parsed(next);
            return { ...state, text: next, content: schema === undefined ? state.content : withMember(state.content, 'schema', schema) as JsonMap };
        }),
        replace: (next) => setState((state) => ({ ...state, content: next, text: null, faulty: NO_FAULTS })),
        reset: (next, { keep = false } = {}) => setState((state) =>
            (keep ? { ...state, base: next, version: next.etag === state.base.etag ? state.version : next.etag } : stateOf(next))),
        typed: { content, text, faulty: Object.fromEntries(faulty) },
        retype: (typed, known) => setState(({ base: present }) =>
            ({ base: present, version: known, content: typed.content, text: typed.text, faulty: new Map(Object.entries(typed.faulty)) }))
    };
}

function withText(faulty: ReadonlyMap<string, string>, place: string, text: string | null): ReadonlyMap<string, string> {

    const rest = [...faulty].filter(([each]) => each !== place);
    return new Map(text === null ? rest : [...rest, [place, text]]);
}

function parsed(text: string): Json | undefined {

    try {
        return parseJson(text);
    }
    catch (error) {
        if (error instanceof JsonSyntaxError) {
            return undefined;
        }

        throw error;
    }
}

/** What the service says about a draft. */
export interface Diagnosis {
    readonly errors: readonly TypeError[];
    readonly state: 'unchanged' | 'checking' | 'valid' | 'invalid' | 'failed';
    readonly failure: string | null;
}

/** Pause in typing before the service is asked, in milliseconds. */
const PAUSE_MS = 500;

const INVALID = 400;

const NOTHING: Diagnosis = { errors: [], state: 'unchanged', failure: null };

/** Asks the service, by a dry run, what is wrong with a draft. */
export function useDiagnosis({ base, content, isChanged, isValidJson }: Draft): Diagnosis {

    const [diagnosis, setDiagnosis] = useState(NOTHING);
    const text = writeJson(content);
    const latest = useRef(content);
    latest.current = content;
    useEffect(() => {

        if (!isChanged || !isValidJson || !base.mayWrite) {
            setDiagnosis(NOTHING);
            return undefined;
        }

        const controller = new AbortController();
        setDiagnosis(({ errors }) => ({ errors, state: 'checking', failure: null }));
        const timer = setTimeout(() => {

            writeTypeObject({ id: base.id, content: latest.current, etag: null }, { dryRun: true, signal: controller.signal }).then(
                () => !controller.signal.aborted && setDiagnosis({ errors: [], state: 'valid', failure: null }),
                (error: unknown) => {

                    if (!controller.signal.aborted && !isAbort(error)) {
                        setDiagnosis(diagnosisOf(error));
                    }
                });
        }, PAUSE_MS);
        return () => {

            clearTimeout(timer);
            controller.abort(new DOMException('the type was changed again', 'AbortError'));
        };
    }, [text, isChanged, isValidJson, base]);
    return diagnosis;
}

/** What a rejected write says about a type. */
export function diagnosisOf(error: unknown): Diagnosis {

    if (error instanceof RepositoryError && error.status === INVALID) {
        const errors = error.errors.length > 0 ? error.errors as readonly TypeError[] : [{ pointer: '', message: error.message }];
        return { errors, state: 'invalid', failure: null };
    }

    return { errors: [], state: 'failed', failure: textOf(error) };
}
