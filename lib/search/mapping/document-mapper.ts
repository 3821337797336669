/**
 * Maps a stored object to the document that is indexed, with what its type knows about the content.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { StoredObject, IndexedForm } from '../../model/stored-object.js';
import type { ObjectTexts } from '../../payloads/payload-texts.js';
import { SCHEMA_TYPE } from '../../types/built-in-types.js';
import type { Catalog } from '../../types/catalog.js';
import { findReferences } from '../../types/annotations/references.js';
import { findModuleDirectory, findRoles } from '../../types/annotations/roles.js';
import { readTextLanguage } from '../../model/text-language.js';
import type { TextLanguage } from '../../model/text-language.js';
import { isFreeName } from '../analysis/field-names.js';
import type { IndexDocument, FieldCopy, LanguageMark } from './index-document.js';
import { LanguageMap } from './language-map.js';
import { toIndexDocument } from './index-document.js';
import type { Annotation } from '../../model/processed-content.js';
import { numberTextAt, SentNumber } from '../../json/exact-numbers.js';
import { visibleAt } from '../../json/pointer.js';
import { memberOf } from '../../types/schema/extension-keyword.js';

/** Inputs that are known already. */
export interface KnownInputs {
    /** Indexed in place of the object. */
    readonly form?: IndexedForm | undefined;
    /** The extension keyword wherever it applies to the content; computed when absent. */
    readonly annotations?: readonly Annotation[] | undefined;
    /** Texts of the payloads. */
    readonly texts?: ObjectTexts | undefined;
}

/** Maps an object by the current types. Does not throw. */
export function mapObject(object: StoredObject, catalog: Catalog, { form, annotations, texts }: KnownInputs = {}): IndexDocument {

    const type = catalog.current.get(object.type);
    const content = form?.content ?? object.content;
    const allAnnotations = annotations ?? type?.annotate(content) ?? [];
    const languages = languagesOf(allAnnotations, catalog.current.design.searchLanguage);
    return toIndexDocument(object, {
        form, indexedOn: Date.now(),
        keywords: { ...keywordsOf(object, content, { allAnnotations, prefix: catalog.current.prefix }), ...payloadKeywords(object, texts) },
        copies: copiesOf(content, allAnnotations, languages), languages,
        ...texts === undefined || object.elements.length === 0 ? {} : { texts: texts.texts, altFields: altFieldsOf(type?.altPayloadFieldNames ?? {}) }
    });
}

function keywordsOf(
    { type, metadata }: StoredObject, content: JsonObject, { allAnnotations, prefix }: { allAnnotations: readonly Annotation[]; prefix: string }
): Record<string, readonly string[]> {

    const names = type === SCHEMA_TYPE && !metadata.isVersion ? textOf(content['name']) : [];
    if (allAnnotations.length === 0) {
        return present({ schemaName: names });
    }

    const { username, members } = findRoles(allAnnotations, prefix);
    return present({
        username: textOf(username?.value),
        users: members,
        'internal.pointsAt': referencesOf(allAnnotations, prefix),
        javaScriptModuleName: textOf(findModuleDirectory(allAnnotations)),
        schemaName: names
    });
}

/** State of the text extraction. */
function payloadKeywords({ elements }: StoredObject, texts: ObjectTexts | undefined): Record<string, readonly string[]> {

    return elements.length === 0 ? {} : present({
        payloadIndexState: [texts?.isPending ? 'indexInProcess' : 'indexComplete'],
        payload_indexing_exception: texts?.reasons ?? []
    });
}

function altFieldsOf(names: JsonObject): Map<string, string> {

    return new Map(Object.entries(names).flatMap(([element, field]): [string, string][] => {

        return typeof field === 'string' && isFreeName(field) ? [[element, field]] : [];
    }));
}

function present(keywords: Readonly<Record<string, readonly string[] | undefined>>): Record<string, readonly string[]> {

    return Object.fromEntries(Object.entries(keywords).flatMap(([name, values]) => (values && values.length > 0 ? [[name, values]] : [])));
}

/** Returns the ids of the objects that the content refers to; empty when the content is not valid for the current type. */
function referencesOf(annotations: readonly Annotation[], prefix: string): readonly string[] {

    try {
        return [...new Set(findReferences(annotations, prefix, true).map(({ id }) => id))];
    }
    catch {
        // The type has changed since the object was stored; the object is still found by its content.
        return [];
    }
}

function textOf(value: unknown): readonly string[] {

    return typeof value === 'string' ? [value] : [];
}

/** Returns the languages given by annotations, then the default one; the first one of a place counts. */
function languagesOf(annotations: readonly Annotation[], byDefault: TextLanguage | null): LanguageMark[] {

    const marks = annotations.flatMap(({ pointer, keyword }): LanguageMark[] => {

        const language = readTextLanguage(memberOf(keyword, 'search', 'language'));
        return language === undefined ? [] : [{ pointer, language }];
    });
    return byDefault === null ? marks : [...marks, { pointer: '', language: byDefault }];
}

/**
 * Returns the values that annotations want indexed under another name (`altFieldName`). They are taken from the content, from which
 * secure values were removed. Of an array or object all values are copied. Names with another meaning are ignored.
 */
function copiesOf(content: JsonObject, annotations: readonly Annotation[], marks: readonly LanguageMark[] = []): FieldCopy[] {

    if (annotations.length === 0) {
        return [];
    }

    const languages = LanguageMap.of(marks);
    return annotations.flatMap(({ pointer, keyword }) => {

        const field = memberOf(keyword, 'search', 'altFieldName');
        return typeof field === 'string' && isFreeName(field) ?
            copiedFrom(content, pointer).map((copied) => ({ field, ...copied, language: languages.at(pointer) })) : [];
    });
}

type Copied = Pick<FieldCopy, 'value' | 'numberText'>;

function copiedFrom(content: JsonObject, pointer: string): Copied[] {

    const value = visibleAt(content, pointer);
    return value instanceof SentNumber ? valuesIn(value.toJSON(), value.toString()) : valuesIn(value);
}

function valuesIn(value: JsonValue | undefined, numberText?: string): Copied[] {

    if (value === undefined) {
        return [];
    }

    if (typeof value === 'object' && value !== null) {
        return Object.entries(value).flatMap(([name, member]: [string, JsonValue | undefined]) => valuesIn(member, numberTextAt(value, name)));
    }

    return [numberText === undefined ? { value } : { value, numberText }];
}
