/** A query explained: in plain words, and as code to copy. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { parse } from 'query-grammar';
import { config } from '../config.js';
import { CopyButton } from '../components/copy-button.js';
import { defineTexts } from '../i18n/index.js';
import { CODE_LANGUAGES, codeFor, type CodeLanguage } from './code.js';
import { explain, type Explanation } from './explain-words.js';
import { filterText, labelFor } from './facets.js';
import type { SyntaxClauses } from './query-tree.js';
import { bodyOf } from './page-request.js';
import type { SearchState } from './state.js';
import { t as searchText } from './texts.js';

const t = defineTexts({
    en: { found: 'Found are', and: 'and only those with', copy: 'Copy', code: 'As code', unreadable: 'The query could not be read.' },
    de: { found: 'Gefunden wird', and: 'und davon nur', copy: 'Kopieren', code: 'Als Code', unreadable: 'Die Suchanfrage ist nicht lesbar.' },
    fr: { found: 'Sont trouvés', and: 'et seulement ceux avec', copy: 'Copier', code: 'En code', unreadable: 'La requête est illisible.' }
});

/** Longer queries are not explained. */
const MAX_LENGTH = 5000;

/** What the query means, and code that sends it. */
export function Explain({ state, type }: { readonly state: SearchState; readonly type: string | null }): JSX.Element {

    const [language, setLanguage] = useState<CodeLanguage>('curl');
    const body = { ...bodyOf(state), ...state.sort === '' ? {} : { sortFields: state.sort }, pageNum: state.page - 1, pageSize: state.size };
    const code = codeFor(language, location.origin + config.base, body);
    const words = explained(body.query, type);
    return (
        <div class="card explain-body">
            {words && <div><p><strong>{t('found')}</strong>: <span dir="auto">{words.text}</span></p><Parts parts={words.parts} /></div>}
            {state.filters.length > 0 && <div><p><strong>{t('and')}</strong></p><ul>{state.filters.map((filter) => <li key={filter} dir="auto">{filterText(filter, type)}</li>)}</ul></div>}
            <div>
                <div class="code-head">
                    <div class="segmented" role="group" aria-label={t('code')}>
                        {CODE_LANGUAGES.map((each) => <button key={each} type="button" class="quiet" aria-pressed={each === language} onClick={() => setLanguage(each)}>{each}</button>)}
                    </div>
                    <CopyButton text={code} label={t('copy')} hasText />
                </div>
                <pre tabIndex={0} aria-label={`${searchText('explain')}: ${language}`}><code>{code}</code></pre>
            </div>
        </div>
    );
}

function explained(query: string, type: string | null): Explanation | null {

    try {
        return query.length > MAX_LENGTH ? null : explain(parse(query) as SyntaxClauses, (field) => labelFor(field, type));
    }
    catch {
        // The service has already said what is wrong.
        return null;
    }
}

function Parts({ parts }: { readonly parts: readonly Explanation[] }): JSX.Element | null {

    return parts.length === 0 ? null : <ul>{parts.map((part, index) => <li key={index}><span dir="auto">{part.text}</span><Parts parts={part.parts} /></li>)}</ul>;
}
