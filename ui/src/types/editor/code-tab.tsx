/** The code of the type, with errors at line and column, suggestions, and a rehearsal. */

import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { CodeEditor, type CodeDiagnostic } from '../../code/code-editor.js';
import { Menu } from '../../components/menu.js';
import { isJsonMap } from '../../json/exact-number.js';
import { memberOf } from '../../json/pointer.js';
import { completionsFor, HOOKS, hookText } from './completions.js';
import { Rehearsal } from './rehearsal.js';
import { t } from './texts.js';
import type { TabProps } from './type-screen.js';

export function CodeTab({ name, draft, diagnosis: { errors }, isReadOnly }: TabProps): JSX.Element {

    const stored = draft.content['javascript'];
    const code = typeof stored === 'string' ? stored : '';
    const own = errors.filter(({ pointer }) => pointer === '/javascript');
    const diagnostics = useMemo((): readonly CodeDiagnostic[] => own.map(({ message, line, column }) =>
        ({ message, ...line === undefined ? {} : { line, column: column ?? 1 } })), [errors]);
    const properties = memberOf(draft.content['schema'], 'properties');
    const fields = isJsonMap(properties) ? Object.keys(properties) : [];
    const set = (text: string): void => draft.set('javascript', text === '' && draft.base.content['javascript'] === undefined ? undefined : text);
    const insert = (hook: string): void => set(`${code}${code === '' || code.endsWith('\n') ? '' : '\n'}${code === '' ? '' : '\n'}${hookText(hook)}`);
    const missing = HOOKS.map(([each]) => each).filter((each) => !code.includes(`exports.${each}`));
    return (
        <div class="stack">
            <div class="row">
                {!isReadOnly && <Menu items={missing.map((hook) => ({ label: hook, onSelect: () => insert(hook) }))}>{t('insert')}</Menu>}
                <small>{t('ofCode')}</small>
            </div>
            {own.length > 0 && (
                <div role="status"><ul class="errors">
                    {own.map(({ message, line, column }) => <li key={message}>{line !== undefined && `${t('lineColumn', { line, column: column ?? 1 })}: `}<bdi>{message}</bdi></li>)}
                </ul></div>
            )}
            <CodeEditor language="javascript" label={t('codeLabel')} height="tall" value={code} readOnly={isReadOnly} diagnostics={diagnostics} complete={(before) => completionsFor(before, fields)} onChange={set} />
            {draft.base.id !== '' && <Rehearsal type={name} draft={draft} />}
        </div>
    );
}
