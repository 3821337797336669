/** The dialog for a new type. */

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { JsonObject } from '../../../../lib/client/web/index.js';
import { getJson, repository } from '../../api/client.js';
import { Confirm } from '../../components/confirm.js';
import { ErrorBox } from '../../components/feedback.js';
import { useOnce, type Sent } from '../../components/use-once.js';
import { useResource } from '../../components/use-resource.js';
import { config } from '../../config.js';
import { go, to } from '../../router.js';
import { findLost } from '../../edit/lost-response.js';
import { isEqual } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { JsonSyntaxError, parseJson } from '../../json/parse-json.js';
import { jsonErrorText } from '../../json/texts.js';
import { readUtf8Beginning } from '../../json/utf8.js';
import { writeJson } from '../../json/write-json.js';
import { readDesign, schemaIdOf, typeNames } from '../../state/design.js';
import { t as ofObject } from '../../object/texts.js';
import { say, textOf } from '../../state/messages.js';
import { Newest } from '../../state/newest.js';
import { readTable } from '../model/csv.js';
import { schemaOfExamples, schemaOfRows } from '../model/infer-schema.js';
import { readTypeObject, writeTypeObject, type TypeObject } from '../model/type-object.js';
import { t } from '../texts.js';

const SOURCES = ['template', 'example', 'csv', 'copy', 'empty'] as const;

type Source = typeof SOURCES[number];

/** What is entered, of each source. */
interface Entered {
    readonly template: string;
    readonly example: string;
    readonly csv: string;
    readonly copy: string;
}

interface Templates {
    readonly templates: JsonObject;
}

type CreatedType = Pick<TypeObject, 'id' | 'etag'>;

async function createType(content: JsonMap): Promise<CreatedType> {

    const text = writeJson(content);
    const response = await repository.request({ method: 'POST', path: '/objects', query: { type: 'Schema', full: true }, body: { mediaType: 'application/json', open: () => text, isReplayable: true } });
    const { id } = await response.json() as { id: string };
    return { id, etag: response.headers.get('etag') };
}

/** Makes a type and opens it. */
export function NewType({ onClose }: { readonly onClose: () => void }): JSX.Element {

    const [name, setName] = useState('');
    const [source, setSource] = useState<Source>('template');
    const [entered, setEntered] = useState<Entered>({ template: 'default', example: '', csv: '', copy: '' });
    const { value: read, error, reload } = useResource((signal) => getJson<Templates>('/schemaTemplates', {}, signal), []);
    const templates = read?.templates ?? {};
    const once = useOnce(async ({ sent, began }: Sent<JsonMap>): Promise<CreatedType | null> => (await findLost({ kind: 'new', type: 'Schema' }, { content: sent, began }, '')).object);
    const create = async (): Promise<void> => {

        const content: JsonMap = { identifier: '', name, ...await contentOf(source, entered, templates) };
        const { made: { id, etag }, sent } = await once(content, async () => {

            if (typeNames.value.includes(name)) {
                throw new Error(t('exists'));
            }

            return createType(content);
        });
        if (!isEqual(sent, content)) {
            // What was sent before is stored; it was edited since.
            await writeTypeObject({ id, content, etag });
        }

        await readDesign();
        say(t('created', { name }));
        go(to.type(name));
    };

    const set = (part: Partial<Entered>): void => setEntered({ ...entered, ...part });
    return (
        <Confirm title={t('newType')} action={t('create')} isReady={source !== 'template' || read !== null} onConfirm={create} onClose={onClose}>
            <label>{t('name')}
                <input required dir="auto" autocomplete="off" spellcheck={false} value={name} onInput={(event) => setName(event.currentTarget.value.trimStart())} />
                <small>{t('nameHint')}</small>
            </label>
            <fieldset>
                <legend>{t('source')}</legend>
                <div class="type-choices">
                    {SOURCES.map((each) => <label key={each} class="inline"><input type="radio" name="source" checked={source === each} onChange={() => setSource(each)} />{t(each)}</label>)}
                </div>
            </fieldset>
            {source === 'template' && error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {source === 'template' && (
                <label>{t('templateLabel')}
                    <select value={entered.template} onChange={(event) => set({ template: event.currentTarget.value })}>
                        {Object.keys(templates).map((each) => <option key={each}>{each}</option>)}
                    </select>
                </label>
            )}
            {source === 'example' && <TextSource label={t('exampleLabel')} value={entered.example} accept=".json,application/json" onChange={(example) => set({ example })} />}
            {source === 'csv' && <TextSource label={t('csvLabel')} hint={t('csvHint')} value={entered.csv} accept=".csv,.tsv,text/csv" onChange={(csv) => set({ csv })} />}
            {source === 'copy' && (
                <label>{t('typeLabel')}
                    <input list="type-names" required autocomplete="off" value={entered.copy} onInput={(event) => set({ copy: event.currentTarget.value })} />
                    <datalist id="type-names">{typeNames.value.filter((each) => each.toLowerCase().includes(entered.copy.toLowerCase())).slice(0, 100).map((each) => <option key={each} value={each} />)}</datalist>
                </label>
            )}
        </Confirm>
    );
}

/** Bytes of a file that are read: the beginning is enough. */
const MAX_BYTES = 256 * 1024;

/** A text that is typed, or read from the beginning of a file. */
function TextSource({ label, hint, value, accept, onChange }: {
    readonly label: string; readonly hint?: string; readonly value: string; readonly accept: string; readonly onChange: (text: string) => void;
}): JSX.Element {

    const chosen = useRef(new Newest());
    const [error, setError] = useState<string | null>(null);
    const read = (file: File | undefined): void => {

        const isNewest = chosen.current.ask();
        setError(null);
        if (file) {
            readUtf8Beginning(file, MAX_BYTES).then((text) => isNewest() && onChange(text), (failure: unknown) => isNewest() && setError(textOf(failure)));
        }
    };

    return (
        <>
            <label>{label}
                <textarea class="mono" rows={7} required spellcheck={false} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
                {hint !== undefined && <small>{hint}</small>}
            </label>
            <label>{t('fromFile')} <input type="file" accept={accept} onChange={(event) => read(event.currentTarget.files?.[0])} /></label>
            {error !== null && <ErrorBox message={error} />}
        </>
    );
}

/** Members of a new Schema object. @throws Error that says what is wrong with what was entered */
async function contentOf(source: Source, { template, example, csv, copy }: Entered, templates: JsonObject): Promise<JsonMap> {

    switch (source) {
        case 'template': {
            return { schema: (templates[template] ?? { type: 'object', properties: {} }) as Json };
        }

        case 'example': {
            const value = parseExample(example);
            try {
                return { schema: schemaOfExamples(Array.isArray(value) ? value as readonly Json[] : [value], config.keyword) };
            }
            catch {
                throw new Error(t('notObject'));
            }
        }

        case 'csv': {
            const { columns, rows } = readTable(csv);
            if (columns.every((column) => column === '')) {
                throw new Error(t('noColumns'));
            }

            return { schema: schemaOfRows(columns, rows, config.keyword) };
        }

        case 'copy': {
            const id = schemaIdOf(copy);
            if (id === null) {
                throw new Error(t('unknown', { name: copy }));
            }

            const { content, isResolved } = await readTypeObject(id);
            if (isResolved) {
                throw new Error(ofObject('resolved'));
            }

            const { identifier: _identifier, name: _name, ...rest } = content;
            return rest;
        }

        default: {
            return { schema: { type: 'object', properties: {} } };
        }
    }
}

function parseExample(text: string): Json {

    try {
        return parseJson(text);
    }
    catch (error) {
        throw error instanceof JsonSyntaxError ? new Error(t('notJson', { error: jsonErrorText(error) })) : error;
    }
}
