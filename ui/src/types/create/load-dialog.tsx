/** Loads many types from a file. */

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { requestJson } from '../../api/client.js';
import { fewAtATime } from '../../api/few-at-a-time.js';
import { Confirm } from '../../components/confirm.js';
import { ErrorBox } from '../../components/feedback.js';
import { isLost } from '../../components/use-once.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { JsonSyntaxError } from '../../json/parse-json.js';
import { jsonErrorText } from '../../json/texts.js';
import { writeJson } from '../../json/write-json.js';
import { readDesign, schemaIdOf, schemaOf } from '../../state/design.js';
import { say, textOf } from '../../state/messages.js';
import { Newest } from '../../state/newest.js';
import { readTypeFile, type TypeFile, type TypeInFile } from '../model/type-file.js';
import { readTypeObject } from '../model/type-object.js';
import { t } from '../texts.js';

export function LoadDialog({ onClose, onLoaded }: { readonly onClose: () => void; readonly onLoaded: () => void }): JSX.Element {

    const [file, setFile] = useState<TypeFile | null>(null);
    const [error, setError] = useState<string | null>(null);
    const readings = useRef(new Newest());
    const read = async (chosen: File | undefined): Promise<void> => {

        setFile(null);
        setError(null);
        const isNewest = readings.current.ask();
        try {
            const text = await chosen?.text();
            if (!isNewest()) {
                return;
            }

            const found = text === undefined ? null : readTypeFile(text);
            setFile(found);
            setError(found?.types.length === 0 ? t('noTypesFound') : null);
        }
        catch (failure) {
            setError(t('loadFailed', { error: failure instanceof JsonSyntaxError ? jsonErrorText(failure) : textOf(failure) }));
        }
    };

    const isUnanswered = useRef(false);
    const store = async (): Promise<void> => {

        if (isUnanswered.current) {
            // What was stored by a request whose response was lost has its ids now.
            await readDesign();
        }

        const types = file?.types.filter((type) => stateOf(type) !== 'unchanged') ?? [];
        if (types.length > 0) {
            const text = writeJson({ results: await fewAtATime(types, objectOf) as readonly Json[] });
            await requestJson({ method: 'POST', path: '/uploadObjects', body: { mediaType: 'application/json', open: () => text, isReplayable: true } }).catch((failure: unknown) => {

                isUnanswered.current = isUnanswered.current || isLost(failure);
                throw failure;
            });
            await readDesign();
        }

        say(t('loaded', { count: isUnanswered.current ? file?.types.length ?? 0 : types.length }));
        onLoaded();
    };

    const types = file?.types ?? [];
    return (
        <Confirm title={t('loadTitle')} action={t('store')} isReady={types.length > 0} onConfirm={store} onClose={onClose}>
            <p class="muted">{t('loadHint')} {t('allOrNone')}</p>
            <label>{t('choose')} <input type="file" required accept=".json,.ndjson,.jsonl,application/json" onChange={(event) => void read(event.currentTarget.files?.[0])} /></label>
            {error !== null && <ErrorBox message={error} />}
            {types.length > 0 && (
                <>
                    <h3>{t('found')}</h3>
                    <ul class="member-list">
                        {types.slice(0, 500).map((type) => <li key={type.name}><span dir="auto">{type.name}</span><span class="badge plain">{t(stateOf(type))}</span></li>)}
                    </ul>
                    {file && file.others > 0 && <p>{t('others', { count: file.others })}</p>}
                </>
            )}
        </Confirm>
    );
}

function stateOf({ name, content, isWhole }: TypeInFile): 'isNew' | 'replaces' | 'unchanged' {

    const present = schemaOf(name);
    if (!present) {
        return 'isNew';
    }

    return !isWhole && writeJson(present) === writeJson(content['schema'] ?? null) ? 'unchanged' : 'replaces';
}

/** The object to store: the one that the service has of this name, also when the file has it under another id. */
async function objectOf({ name, content, object, isWhole }: TypeInFile): Promise<JsonMap> {

    const id = schemaIdOf(name);
    const before = id === null || isWhole ? {} : (await readTypeObject(id)).content;
    return { ...object, ...id === null ? {} : { id }, type: 'Schema', content: { identifier: '', ...before, ...content, name } };
}
