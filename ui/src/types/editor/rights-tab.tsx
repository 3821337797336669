/** The rules of the type: who may read, change and create its objects. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { AclRules } from '../../admin/rules/acl-rules.js';
import { isJsonMap, type JsonMap } from '../../json/exact-number.js';
import { serverText } from '../../server-texts/index.js';
import { JsonMember } from './json-member.js';
import { t } from './texts.js';
import type { TabProps } from './type-screen.js';

const PLACE = '/authConfig';

const OWN: JsonMap = { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] };

export function RightsTab({ draft, diagnosis: { errors }, isReadOnly }: TabProps): JSX.Element {

    const isFaulty = draft.faultyText(PLACE) !== null;
    const [isOpen, setOpen] = useState(isFaulty);
    const stored = draft.content['authConfig'];
    const rules = isJsonMap(stored) ? stored : null;
    const own = errors.filter(({ pointer }) => pointer.startsWith('/authConfig'));
    const replace = (next: JsonMap | undefined): void => {

        draft.setFaultyText(PLACE, null);
        draft.set('authConfig', next);
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
            {own.length > 0 && <div role="status"><ul class="errors">{own.map(({ pointer, message }) => <li key={pointer + message}><code>{pointer}</code> {serverText(message)}</li>)}</ul></div>}
            <AclRules rules={rules} isReadOnly={isReadOnly || isFaulty} onChange={replace} />
            <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
                <summary>{t('asJson')}</summary>
                <JsonMember draft={draft} place={PLACE} label={t('rulesJson')} value={rules} isReadOnly={isReadOnly} onChange={(next) => draft.set('authConfig', next)} />
            </details>
            {!isReadOnly && <div><button type="button" onClick={() => replace(undefined)}>{t('dropOwn')}</button></div>}
        </div>
    );
}
