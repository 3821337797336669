/** The form as editors see it, empty or with a real object. Nothing of it is stored. */

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { objectPath, repository, textIn } from '../../api/client.js';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { findObjects, ObjectPicker } from '../../components/object-picker.js';
import { useResource } from '../../components/use-resource.js';
import { config } from '../../config.js';
import { initialContent, SchemaForm, type FormContext } from '../../form/schema-form.js';
import { isJsonMap, type Json } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { to } from '../../router.js';
import { schemaOf } from '../../state/design.js';
import { labelOf } from '../../state/labels.js';
import { textOf } from '../../state/messages.js';
import { t } from './texts.js';
import type { TabProps } from './type-screen.js';

const CONTEXT: FormContext = {
    keyword: config.keyword,
    lookup: (name) => schemaOf(name),
    findReferences: ({ text, ...filter }, signal) => findObjects(text, filter, signal),
    labelOf: (id) => labelOf(id).value?.label ?? null,
    addressOf: (id) => to.object(id)
};

export function PreviewTab({ name, draft }: TabProps): JSX.Element {

    const [id, setId] = useState('');
    const stored = draft.content['schema'];
    const schema = useMemo(() => (isJsonMap(stored) || typeof stored === 'boolean' ? stored : true), [stored]);
    const { value, error, isLoading, reload } = useResource(async (signal): Promise<{ readonly id: string; readonly content: Json } | null> => {

        if (id === '') {
            return null;
        }

        const response = await repository.request({ method: 'GET', path: objectPath(id), signal });
        return { id, content: parseJson(await textIn(response)) };
    }, [id]);
    const content = useMemo(() => (value && value.id === id ? value.content : initialContent(schema, CONTEXT)), [value, id, schema]);
    return (
        <div class="stack">
            <p class="muted">{t('previewHint')}</p>
            <div class="acl-add">
                <div><label for="preview-object">{t('previewObject')}</label><ObjectPicker id="preview-object" label={null} types={[name]} value={id} onChange={setId} /></div>
                {id !== '' && <button type="button" onClick={() => setId('')}>{t('previewReset')}</button>}
            </div>
            {error && <ErrorBox message={textOf(error)} onRetry={reload} />}
            {isLoading && id !== '' && value?.id !== id ? <Loading /> : (
                <div class="card"><SchemaForm key={id} schema={schema} value={content} context={CONTEXT} label={t('preview')} /></div>
            )}
        </div>
    );
}
