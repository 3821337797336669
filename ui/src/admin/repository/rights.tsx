/** Rights by default, and those of types that have no rules of their own. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isJsonMap, type JsonMap } from '../../json/exact-number.js';
import { withMember, withoutMember } from '../../json/pointer.js';
import { typeNames } from '../../state/design.js';
import type { Draft } from '../../types/editor/draft.js';
import { AclRules } from '../rules/acl-rules.js';
import { effective, WithDesign } from './design-draft.js';
import { t } from './texts.js';

export function Rights(): JSX.Element {

    return <WithDesign title={t('rights')}>{(draft) => <RulesForm draft={draft} />}</WithDesign>;
}

function mapOf(value: unknown): JsonMap {

    return isJsonMap(value) ? value : {};
}

function RulesForm({ draft }: { readonly draft: Draft }): JSX.Element {

    const [type, setType] = useState('');
    // Without rules in the design object those of the service apply: a change of one of them keeps the others.
    const config = effective(draft, 'authConfig');
    const byType = mapOf(config['schemaAcls']);
    const set = (member: string, value: JsonMap): void => draft.set('authConfig', withMember(config, member, value));
    const isNew = typeNames.value.includes(type) && !Object.hasOwn(byType, type);
    const add = (event: Event): void => {

        event.preventDefault();
        if (isNew) {
            set('schemaAcls', withMember(byType, type, config['defaultAcls'] ?? {}) as JsonMap);
            setType('');
        }
    };

    return (
        <div class="stack">
            <p class="muted">{t('rightsHint')}</p>
            <AclRules rules={mapOf(config['defaultAcls'])} onChange={(rules) => set('defaultAcls', rules)} />
            <h2>{t('byType')}</h2>
            <p class="muted">{t('byTypeHint')}</p>
            {Object.entries(byType).map(([name, rules]) => (
                <details key={name} class="card">
                    <summary><bdi>{name}</bdi></summary>
                    <div class="stack settings">
                        <AclRules rules={mapOf(rules)} onChange={(next) => set('schemaAcls', withMember(byType, name, next) as JsonMap)} />
                        <div><button type="button" class="small" onClick={() => set('schemaAcls', withoutMember(byType, name) as JsonMap)}>{t('removeRules', { name })}</button></div>
                    </div>
                </details>
            ))}
            <form class="acl-add" onSubmit={add}>
                <div>
                    <label for="rules-type">{t('addType')}</label>
                    <input id="rules-type" list="rules-types" autocomplete="off" value={type} onInput={(event) => setType(event.currentTarget.value)} />
                    <datalist id="rules-types">{typeNames.value.filter((each) => each.toLowerCase().includes(type.toLowerCase())).slice(0, 100).map((each) => <option key={each} value={each} />)}</datalist>
                </div>
                <button type="submit" disabled={!isNew}>{t('add')}</button>
            </form>
        </div>
    );
}
