/** The dialog that changes many objects together. */

import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.js';
import { ErrorBox } from '../../components/feedback.js';
import { Icon } from '../../components/icon.js';
import { ObjectPicker } from '../../components/object-picker.js';
import { useGuard } from '../../components/use-guard.js';
import type { Json } from '../../json/exact-number.js';
import { parseJson } from '../../json/parse-json.js';
import { writeJson } from '../../json/write-json.js';
import { referencedId, uiConfig } from '../../state/design.js';
import { textOf } from '../../state/messages.js';
import { allIds, allVersions } from '../export/all-results.js';
import { joined, NOTHING_DONE, retriedIn, totalIn } from './outcomes.js';
import { changeAll, type AclList, type Change, type Run } from './run.js';
import { Report, Running } from './report.js';
import { t } from './texts.js';
import { fieldsOfType } from '../context.js';
import type { Field } from '../fields.js';
import { versionsShown } from '../request.js';
import type { SearchState } from '../state.js';
import { labelFor } from '../facets.js';

type Action = 'set' | 'unset' | 'rights' | 'add' | 'remove' | 'delete';

const ACTIONS: readonly Action[] = ['set', 'unset', 'add', 'remove', 'rights', 'delete'];

/** Words that stand for groups of people. */
const WORDS = ['public', 'authenticated', 'creator', 'self'] as const;

interface BulkProps {
    readonly state: SearchState;
    readonly type: string | null;
    /** Null: all results of the search. */
    readonly ids: readonly string[] | null;
    readonly count: number;
    readonly onClose: () => void;
    /** Called after objects were changed, with the ids of those that were deleted. */
    readonly onDone: (deleted: readonly string[]) => void;
}

/** The dialog. */
export function BulkDialog({ state, type, ids, count, onClose, onDone }: BulkProps): JSX.Element {

    const [action, setAction] = useState<Action>('set');
    const [change, setChange] = useState<Change | null>(null);
    const [confirmed, confirm] = useState('');
    // Others may make results more or fewer until they are collected.
    const [counted, setCounted] = useState(count);
    const [run, setRun] = useState<Run | null>(null);
    const [error, setError] = useState<string | null>(null);
    const controller = useRef<AbortController | null>(null);
    // Objects are deleted as they were shown, or found: not what others have made of them since.
    const [versions] = useState(() => versionsShown(ids ?? []));
    useEffect(() => {

        return () => controller.current?.abort(new DOMException('closed', 'AbortError'));
    }, []);
    const isRunning = run?.state === 'collecting' || run?.state === 'running';
    // Elsewhere nobody would be told what has become of which object.
    useGuard(isRunning, () => window.confirm(t('leave')));

    /** Changes all that were chosen, or, after an attempt, those of it that are named. */
    const start = async (each: Change, only: readonly string[] | null, before: Run | null = null): Promise<void> => {

        const { signal } = controller.current = new AbortController();
        const first: Run = { ...NOTHING_DONE, state: 'collecting', total: count, collected: 0, isCancelled: false };
        let deleted: readonly string[] = [];
        setError(null);
        setRun(first);
        try {
            const collecting = (collected: number): void => setRun({ ...first, collected });
            const all = only ?? await (each.kind === 'delete' ? collectVersions(state, versions, signal, collecting) : collectIds(state, signal, collecting));
            if (only === null && all.length !== counted) {
                setCounted(all.length);
                confirm('');
                setError(t(each.kind === 'delete' ? 'otherCount' : 'otherChanged', { count: all.length }));
                setRun(null);
                return;
            }

            const result = await changeAll(all, each, (progress) => {

                setRun({ ...first, ...progress, state: 'running', total: all.length, isCancelled: signal.aborted });
            }, signal);
            deleted = each.kind === 'delete' ? result.changed : [];
            const outcomes = joined(before ?? { ...NOTHING_DONE, rest: all }, result);
            // An attempt that came to its end leaves what an earlier one has left.
            const isCancelled = before && result.rest.length === 0 ? before.isCancelled : signal.aborted;
            setRun({ ...first, ...outcomes, state: 'over', total: totalIn(outcomes), isCancelled });
        }
        catch (failure) {
            // Nothing has been changed yet when the ids could not be collected.
            setError(signal.aborted ? null : textOf(failure));
            setRun(signal.aborted ? { ...first, state: 'over', isCancelled: true } : null);
        }

        onDone(deleted);
    };

    const wanted: Change | null = action === 'delete' ? { kind: 'delete', versions } : change;
    const submit = (event: Event): void => {

        event.preventDefault();
        if (wanted) {
            void start(wanted, ids);
        }
    };

    const choose = (next: Action): void => {

        setAction(next);
        setChange(null);
    };

    const stop = (): void => {

        controller.current?.abort(new DOMException('cancelled', 'AbortError'));
        setRun((now) => now && { ...now, isCancelled: true });
    };

    const retried = run ? retriedIn(run) : [];
    const isReady = action === 'delete' ? confirmed.trim() === String(counted) : change !== null;
    return (
        <Dialog title={t('title', { count: counted })} onClose={() => (isRunning ? stop() : onClose())}>
            {/* Hidden while it runs, so that nothing is lost of what was chosen when it could not begin. */}
            <form class="stack" hidden={run !== null} onSubmit={submit}>
                <label>{t('what')}
                    <select value={action} onChange={(event) => choose(event.currentTarget.value as Action)}>
                        {ACTIONS.map((each) => <option key={each} value={each}>{t(each)}</option>)}
                    </select>
                </label>
                {(action === 'set' || action === 'unset') && <PropertyChange key={action} kind={action} type={type} onChange={setChange} />}
                {(action === 'add' || action === 'remove') && <EntryChange key={action} kind={action} onChange={setChange} />}
                {action === 'rights' && <RightsChange onChange={setChange} />}
                {action === 'delete' && (
                    <>
                        <p class="box warning">{t('deleteWarning')}</p>
                        <label>{t('confirm', { count: String(counted) })}
                            <input inputMode="numeric" autocomplete="off" value={confirmed} onInput={(event) => confirm(event.currentTarget.value)} />
                        </label>
                    </>
                )}
                {error !== null && <ErrorBox message={error} />}
                <div class="actions">
                    <button type="button" onClick={onClose}>{t('cancel')}</button>
                    <button type="submit" class={action === 'delete' ? 'danger' : 'primary'} disabled={!isReady}>{t(action === 'delete' ? 'doDelete' : 'doChange', { count: counted })}</button>
                </div>
            </form>
            {run && (
                <div class="stack">
                    {isRunning ? <Running run={run} /> : <Report run={run} kind={action} />}
                    <div class="actions">
                        {isRunning ? <button type="button" disabled={run.isCancelled} onClick={stop}>{t('cancel')}</button> : (
                            <>
                                {wanted && retried.length > 0 && <button type="button" onClick={() => void start(wanted, retried, run)}>{t('again')}</button>}
                                {wanted && run.rest.length > 0 && <button type="button" onClick={() => void start(wanted, run.rest, run)}>{t('goOn', { count: run.rest.length })}</button>}
                                <button type="button" class="primary" onClick={onClose}>{t('close')}</button>
                            </>
                        )}
                    </div>
                </div>
            )}
        </Dialog>
    );
}

/** The ids of all results, before anything is changed, as a change may make an object no result any more. */
async function collectIds(state: SearchState, signal: AbortSignal, report: (count: number) => void): Promise<readonly string[]> {

    const found: string[] = [];
    for await (const page of allIds(state, signal)) {
        found.push(...page);
        report(found.length);
    }

    return found;
}

/** The same for a deletion, with the versions in which they were found. */
async function collectVersions(
    state: SearchState, versions: Map<string, string>, signal: AbortSignal, report: (count: number) => void
): Promise<readonly string[]> {

    const found: string[] = [];
    versions.clear();
    for await (const page of allVersions(state, signal)) {
        for (const { id, tag } of page) {
            found.push(id);
            if (tag !== null) {
                versions.set(id, tag);
            }
        }

        report(found.length);
    }

    return found;
}

type ChangeProps<K extends Change['kind']> = { readonly kind: K; readonly onChange: (change: Change | null) => void };

const WRITABLE: ReadonlySet<Field['kind']> = new Set(['choice', 'boolean', 'reference', 'date', 'time', 'number', 'text', 'long']);

function PropertyChange({ kind, type, onChange }: ChangeProps<'set' | 'unset'> & { readonly type: string | null }): JSX.Element {

    const fields = type === null ? [] : fieldsOfType(type).filter((field) => WRITABLE.has(field.kind) && !field.path.includes('_') && field.name !== '/id');
    const [pointer, setPointer] = useState('');
    // A pointer that is typed may be the one of a field on the way.
    const [isTyped, setTyped] = useState(false);
    const [text, setText] = useState('');
    const [isJson, setJson] = useState(type === null);
    const field = isTyped ? undefined : fields.find(({ name }) => name === pointer);
    // At once: Enter may follow the last key before the next frame.
    useLayoutEffect(() => {

        const value = kind === 'unset' ? null : valueOf(text, isJson ? undefined : field);
        onChange(!/^\/./.test(pointer) ? null : kind === 'unset' ? { kind, pointer } : value === undefined ? null : { kind, pointer, value });
    }, [pointer, isTyped, text, isJson]);
    return (
        <>
            {fields.length > 0 && (
                <label>{t('property')}
                    <select value={field ? pointer : ''} onChange={(event) => {

                        setPointer(event.currentTarget.value);
                        setTyped(false);
                        setText('');
                        setJson(false);
                    }}>
                        <option value="">{t('choose')}</option>
                        {fields.map(({ name }) => <option key={name} value={name}>{labelFor(name, type)} ({name})</option>)}
                    </select>
                </label>
            )}
            {(fields.length === 0 || isTyped || pointer === '') && (
                <label>{t('pointer')}<input value={pointer} placeholder="/name" spellcheck={false} onInput={({ currentTarget: { value } }) => {

                    setPointer(value.trim());
                    setTyped(value.trim() !== '');
                }} /></label>
            )}
            {kind === 'set' && pointer !== '' && <ValueInput field={isJson ? undefined : field} text={text} onText={setText} />}
            {kind === 'set' && field && <label class="inline"><input type="checkbox" checked={isJson} onChange={(event) => setJson(event.currentTarget.checked)} />{t('asJson')}</label>}
        </>
    );
}

/** The value that a text stands for; undefined for one that is none, and for nothing: an empty text is entered as JSON. Without a field the text is JSON. */
function valueOf(text: string, field: Field | undefined): Json | undefined {

    if (!field || field.kind === 'number' || field.kind === 'boolean') {
        try {
            return parseJson(text);
        }
        catch {
            return undefined;
        }
    }

    if (text === '') {
        return undefined;
    }

    if (field.kind === 'reference') {
        return text.slice(prefixIn(field).length);
    }

    if (field.kind === 'choice') {
        return field.choices.find((each) => textOfChoice(each) === text);
    }

    return field.kind !== 'time' ? text : Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();
}

/** What the value of a reference leaves out of the id. */
function prefixIn({ reference }: Field): string {

    return referencedId(reference ?? {}, '');
}

function textOfChoice(value: Json): string {

    return typeof value === 'string' ? value : writeJson(value);
}

interface ValueInputProps {
    readonly field: Field | undefined;
    readonly text: string;
    readonly onText: (text: string) => void;
}

function ValueInput({ field, text, onText }: ValueInputProps): JSX.Element {

    if (field?.kind === 'reference') {
        return <ObjectPicker label={t('value')} value={text} prefix={prefixIn(field)} onChange={onText} />;
    }

    if (field?.kind === 'boolean' || field?.kind === 'choice') {
        const options = field.kind === 'boolean' ? ['true', 'false'] : field.choices.map(textOfChoice);
        return (
            <label>{t('value')}
                <select value={text} onChange={(event) => onText(event.currentTarget.value)}>
                    <option value="">{t('choose')}</option>
                    {options.map((each) => <option key={each} value={each}>{each === 'true' ? t('yes') : each === 'false' ? t('no') : each}</option>)}
                </select>
            </label>
        );
    }

    const types: Readonly<Record<string, string>> = { number: 'number', date: 'date', time: 'datetime-local' };
    return field && field.kind !== 'long' ?
        <label>{t('value')}<input type={(types[field.kind] ?? 'text') as 'text'} step="any" dir="auto" value={text} onInput={(event) => onText(event.currentTarget.value)} /></label> :
        <label>{t(field ? 'value' : 'jsonValue')}<textarea rows={3} class={field ? '' : 'mono'} value={text} spellcheck={false} onInput={(event) => onText(event.currentTarget.value)} /></label>;
}

function people(): Pick<Parameters<typeof ObjectPicker>[0], 'types' | 'fixed'> {

    return { types: uiConfig.value.aclUiSearchTypes ?? ['User', 'Group'], fixed: WORDS.map((id) => ({ id, label: id, hint: t(id) })) };
}

function EntryChange({ kind, onChange }: ChangeProps<'add' | 'remove'>): JSX.Element {

    const [list, setList] = useState<AclList>('readers');
    const [id, setId] = useState('');
    useLayoutEffect(() => onChange(id === '' ? null : { kind, list, id }), [list, id]);
    return (
        <>
            <label>{t('list')}
                <select value={list} onChange={(event) => setList(event.currentTarget.value as AclList)}>
                    <option value="readers">{t('readers')}</option>
                    <option value="writers">{t('writers')}</option>
                </select>
            </label>
            <ObjectPicker label={t('who')} value={id} onChange={setId} {...people()} />
            {kind === 'add' && <p class="muted">{t('addNote')}</p>}
        </>
    );
}

function RightsChange({ onChange }: Pick<ChangeProps<'rights'>, 'onChange'>): JSX.Element {

    const [lists, setLists] = useState<Readonly<Record<AclList, readonly string[] | null>>>({ readers: null, writers: null });
    useLayoutEffect(() => {

        const { readers, writers } = lists;
        onChange({ kind: 'rights', acl: { ...readers === null ? {} : { readers }, ...writers === null ? {} : { writers } } });
    }, [lists]);
    return (
        <>
            {(['readers', 'writers'] as const).map((list) => {

                const entries = lists[list];
                const set = (next: readonly string[] | null): void => setLists({ ...lists, [list]: next });
                return (
                    <fieldset key={list} class="stack">
                        <legend>{t(list)}</legend>
                        <label class="inline">
                            <input type="checkbox" checked={entries === null} onChange={(event) => set(event.currentTarget.checked ? null : [])} />{t('byType')}
                        </label>
                        {entries !== null && (
                            <>
                                {entries.length === 0 ? <p class="muted">{t('nobody')}</p> : (
                                    <ul class="chips">
                                        {entries.map((each) => (
                                            <li key={each}>
                                                <button type="button" class="chip" aria-label={t('removeEntry', { id: each })} onClick={() => set(entries.filter((other) => other !== each))}>
                                                    <span dir="auto">{each}</span><Icon name="close" />
                                                </button>
                                            </li>
                                        ))}
                                    </ul>
                                )}
                                <ObjectPicker key={entries.length} label={t('addEntry')} value="" {...people()}
                                    onChange={(id) => id !== '' && !entries.includes(id) && set([...entries, id])} />
                            </>
                        )}
                    </fieldset>
                );
            })}
        </>
    );
}
