/** The object as JSON, and code that reads it. */

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { CodeEditor } from '../../code/code-editor.js';
import { CopyButton } from '../../components/copy-button.js';
import { objectPath } from '../../api/client.js';
import { config } from '../../config.js';
import { defineTexts } from '../../i18n/index.js';
import { writeJson } from '../../json/write-json.js';
import type { TabProps } from '../model/load.js';
import { snippetsFor } from './snippets.js';

const t = defineTexts({
    en: { object: 'The object as JSON', copy: 'Copy the JSON', raw: 'Open as it is sent', code: 'Read it by a program', copyCode: 'Copy for {name}', hint: 'Replace USERNAME and PASSWORD.' },
    de: { object: 'Das Objekt als JSON', copy: 'JSON kopieren', raw: 'Öffnen, wie es gesendet wird', code: 'Mit einem Programm lesen', copyCode: 'Kopieren für {name}', hint: 'Ersetzen Sie USERNAME und PASSWORD.' },
    fr: { object: 'L’objet en JSON', copy: 'Copier le JSON', raw: 'Ouvrir tel qu’envoyé', code: 'Le lire par un programme', copyCode: 'Copier pour {name}', hint: 'Remplacez USERNAME et PASSWORD.' }
});

/** The tab. */
export function JsonTab({ object: { id, whole } }: TabProps): JSX.Element {

    const text = useMemo(() => writeJson(whole, 2), [whole]);
    const snippets = snippetsFor(id, { base: location.origin + config.base, path: objectPath(id) });
    const [name, setName] = useState('curl');
    const shown = snippets.find((each) => each.name === name);
    return (
        <div class="stack">
            <div class="row">
                <CopyButton text={text} label={t('copy')} hasText />
                <a class="button small" href={`${config.base}${objectPath(id)}?full&pretty`}>{t('raw')}</a>
            </div>
            <CodeEditor language="json" label={t('object')} value={text} readOnly height="tall" />
            <section class="card stack" aria-labelledby="snippets-title">
                <h2 id="snippets-title">{t('code')}</h2>
                <div class="row" role="group" aria-labelledby="snippets-title">
                    {snippets.map((each) => <button key={each.name} type="button" class="small" aria-pressed={each.name === name} onClick={() => setName(each.name)}>{each.name}</button>)}
                </div>
                {shown && <><pre tabIndex={0}>{shown.code}</pre><div class="row"><CopyButton text={shown.code} label={t('copyCode', { name })} hasText /><small>{t('hint')}</small></div></>}
            </section>
        </div>
    );
}
