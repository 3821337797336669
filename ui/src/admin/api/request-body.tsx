/** The body of a request that is tried: a text, a file, or a form of texts and files. */

import type { JSX } from 'preact';
import { Icon } from '../../components/icon.js';
import { defineTexts, formatBytes } from '../../i18n/index.js';
import type { BodyForm } from './openapi.js';

const t = defineTexts({
    en: { body: 'Body', mediaType: 'Media type', file: 'File instead of a text', addFiles: 'Add files', partOf: 'Name of the part with {file}', remove: 'Remove {file}' },
    de: { body: 'Inhalt', mediaType: 'Medientyp', file: 'Datei statt eines Textes', addFiles: 'Dateien hinzufügen', partOf: 'Name des Teils mit {file}', remove: '{file} entfernen' },
    fr: { body: 'Corps', mediaType: 'Type de média', file: 'Fichier au lieu d’un texte', addFiles: 'Ajouter des fichiers', partOf: 'Nom de la partie avec {file}', remove: 'Retirer {file}' }
});

/** A part of a form that is a file. */
interface FilePart {
    readonly name: string;
    readonly file: File;
}

/** What was entered. */
export interface EnteredBody {
    /** Null for a request without a body. */
    readonly form: BodyForm | null;
    readonly text: string;
    /** Texts by the names of their parts; one without a text is not sent. */
    readonly parts: Readonly<Record<string, string>>;
    /** Of a form all, of another body the first. */
    readonly files: readonly FilePart[];
}

/** The body, null for none, and its media type, null where the browser knows it. */
export function sentBody({ form, text, parts, files }: EnteredBody): { readonly type: string | null; readonly content: string | File | FormData | null } {

    if (form?.parts) {
        const data = new FormData();
        textParts(form.parts, parts).forEach(([name, value]) => data.append(name, value));
        files.forEach(({ name, file }) => data.append(name, file, file.name));
        return { type: null, content: data };
    }

    const content = (form?.isFile === true ? files[0]?.file : undefined) ?? text;
    return form === null || content === '' ? { type: null, content: null } : { type: form.mediaType, content };
}

function textParts(names: readonly string[], texts: Readonly<Record<string, string>>): readonly (readonly [name: string, text: string])[] {

    return names.map((name) => [name, texts[name] ?? ''] as const).filter(([, text]) => text !== '');
}

/** A text as a word of a shell. */
export function quote(text: string): string {

    return `'${text.replaceAll('\'', '\'\\\'\'')}'`;
}

/** Options of curl that send the same body, with files of these names in the folder where it is run. */
export function curlOf({ form, text, parts, files }: EnteredBody): readonly string[] {

    const inCurl = (name: string): string => `"${name.replace(/["\\]/g, '\\$&')}"`;
    if (form?.parts) {
        return [
            ...textParts(form.parts, parts).map(([name, value]) => `--form-string ${quote(`${name}=${value}`)}`),
            ...files.map(({ name, file }) => `-F ${quote(`${name}=@${inCurl(file.name)}${file.type === '' ? '' : `;type=${file.type}`}`)}`)
        ];
    }

    const file = form?.isFile === true ? files[0]?.file : undefined;
    return file ? [`--data-binary ${quote(`@${file.name}`)}`] : form === null || text === '' ? [] : [`--data-raw ${quote(text)}`];
}

interface BodyProps {
    readonly body: EnteredBody;
    readonly onChange: (body: EnteredBody) => void;
}

/** The fields. */
export function BodyFields({ forms, body, onChange }: BodyProps & { readonly forms: readonly BodyForm[] }): JSX.Element | null {

    const { form, text } = body;
    if (form === null) {
        return null;
    }

    const { mediaType, parts, isFile } = form;
    const choose = (next: string): void => onChange({ ...body, form: forms.find((each) => each.mediaType === next) ?? form });
    return (
        <>
            {forms.length > 1 && (
                <label class="narrow">{t('mediaType')}
                    <select value={mediaType} onChange={(event) => choose(event.currentTarget.value)}>
                        {forms.map((each) => <option key={each.mediaType}>{each.mediaType}</option>)}
                    </select>
                </label>
            )}
            {parts ? <FormParts names={parts} body={body} onChange={onChange} /> : (
                <>
                    <label>{t('body')} <small>{mediaType}</small>
                        <textarea class="mono" rows={6} spellcheck={false} value={text} onInput={(event) => onChange({ ...body, text: event.currentTarget.value })} />
                    </label>
                    {isFile && (
                        <label>{t('file')}
                            <input type="file" onChange={({ currentTarget: { files } }) => onChange({ ...body, files: partsOf(files) })} />
                        </label>
                    )}
                </>
            )}
        </>
    );
}

function FormParts({ names, body, onChange }: BodyProps & { readonly names: readonly string[] }): JSX.Element {

    const { parts, files } = body;
    const rename = (index: number, name: string): void => onChange({ ...body, files: files.map((each, i) => (i === index ? { ...each, name } : each)) });
    return (
        <fieldset class="stack">
            <legend>{t('body')}</legend>
            {names.map((name) => (
                <label key={name}>{name}
                    <textarea class="mono" rows={3} spellcheck={false} value={parts[name] ?? ''}
                        onInput={(event) => onChange({ ...body, parts: { ...parts, [name]: event.currentTarget.value } })} />
                </label>
            ))}
            {files.map(({ name, file }, index) => (
                <div key={index} class="row">
                    <label class="grow"><span dir="auto">{t('partOf', { file: file.name })}</span> <small>{formatBytes(file.size)}</small>
                        <input value={name} required dir="auto" autocomplete="off" spellcheck={false} onInput={(event) => rename(index, event.currentTarget.value)} />
                    </label>
                    <button type="button" class="quiet icon-button" aria-label={t('remove', { file: file.name })}
                        onClick={() => onChange({ ...body, files: files.filter((_, i) => i !== index) })}><Icon name="close" /></button>
                </div>
            ))}
            <label>{t('addFiles')}
                <input type="file" multiple onChange={({ currentTarget }) => {

                    onChange({ ...body, files: [...files, ...partsOf(currentTarget.files)] });
                    currentTarget.value = '';
                }} />
            </label>
        </fieldset>
    );
}

function partsOf(list: FileList | null): readonly FilePart[] {

    return [...list ?? []].map((file) => ({ name: file.name, file }));
}
