/** The rules of the type: who may read, change and create its objects. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { AclRules } from '../../admin/rules/acl-rules.js';
import { CodeEditor } from '../../code/code-editor.js';
import { isJsonMap, type JsonMap } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';
import { t } from './texts.js';
import type { TabProps } from './type-screen.js';

const OWN: JsonMap = { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] };

export function RightsTab({ draft, diagnosis: { errors }, isReadOnly }: TabProps): JSX.Element {

    const [text, setText] = useState<string | null>(null);
    const stored = draft.content['authConfig'];
    const rules = isJsonMap(stored) ? stored : null;
    const own = errors.filter(({ pointer }) => pointer.startsWith('/authConfig'));
    const setJson = (next: string): void => {

        setText(next);
        try {
            draft.set('authConfig', parseJson(next));
        }
        catch {
            // The editor shows the fault; the rules stay as they were.
        }
    };

    if (!rules) {
        return (
            <div class="stack">
                <p>{t('noOwnRights')}</p>
                {!isReadOnly && <div><button type="button" onClick={() => draft.set('authConfig', OWN)}>{t('makeOwn')}</button></div>}
            </div>
        );
    }

    return (
        <div class="stack">
            <p class="muted">{t('rulesHint')}</p>
            {own.length > 0 && <div role="status"><ul class="errors">{own.map(({ pointer, message }) => <li key={pointer + message}><code>{pointer}</code> {message}</li>)}</ul></div>}
            <AclRules rules={rules} isReadOnly={isReadOnly} onChange={(next) => {

                setText(null);
                draft.set('authConfig', next);
            }} />
            <details>
                <summary>{t('asJson')}</summary>
                <CodeEditor language="json" label={t('rulesJson')} value={text ?? writeJson(rules, 2)} readOnly={isReadOnly} onChange={setJson} />
            </details>
            {!isReadOnly && <div><button type="button" onClick={() => draft.set('authConfig', undefined)}>{t('dropOwn')}</button></div>}
        </div>
    );
}
