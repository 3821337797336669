/** The difference of two versions, side by side. */

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { ErrorBox, Loading } from '../../components/feedback.js';
import { useResource } from '../../components/use-resource.js';
import type { Json } from '../../json/exact-number.js';
import { writeJson } from '../../json/write-json.js';
import { textOf } from '../../state/messages.js';
import { loadObject, type LoadedObject } from '../model/load.js';
import { diffLines, withContext, type DiffPart, type DiffRow } from './diff.js';
import { t } from './texts.js';

/** Lines that are compared; what is longer is cut. */
const MAX_LINES = 20_000;

/** What is compared of an object: not the metadata, which always differ. */
function comparedText({ content, acl, userMetadata, payloads }: LoadedObject): string {

    const rest = { ...acl === undefined ? {} : { acl }, ...userMetadata === undefined ? {} : { userMetadata }, ...payloads.length === 0 ? {} : { payloads } };
    return writeJson({ content, ...rest as unknown as Record<string, Json> }, 2);
}

/** The comparison of two objects by their ids. They are read again when `state` changes. */
export function Comparison({ from, to, state }: { readonly from: string; readonly to: string; readonly state: string | null }): JSX.Element {

    const { value: read, error, reload } = useResource(async (signal) => ({ from, to, objects: await Promise.all([loadObject(from, signal), loadObject(to, signal)]) }), [from, to, state]);
    // Those that were compared before are not shown under other names.
    const value = read?.from === from && read.to === to ? read.objects : null;
    const texts = useMemo(() => value?.map((each) => comparedText(each).split('\n')) ?? null, [value]);
    const parts = useMemo(() => {

        const [left = [], right = []] = texts ?? [];
        return withContext(diffLines(left.slice(0, MAX_LINES).join('\n'), right.slice(0, MAX_LINES).join('\n')));
    }, [texts]);
    if (error) {
        return <ErrorBox message={textOf(error)} onRetry={reload} />;
    }

    if (!texts) {
        return <Loading />;
    }

    const isSame = parts.every((part) => 'skipped' in part);
    return isSame ? <p role="status">{t('same')}</p> : (
        <>
            {texts.some((lines) => lines.length > MAX_LINES) && <p class="muted">{t('large', { count: MAX_LINES })}</p>}
            <div class="scroll-x" tabIndex={0} role="group" aria-label={t('comparison')}>
                <table class="diff">
                    <thead>
                        <tr>
                            <th scope="col"><span class="visually-hidden">{t('line')}</span></th><th scope="col" dir="auto">{from}</th>
                            <th scope="col"><span class="visually-hidden">{t('line')}</span></th><th scope="col" dir="auto">{to}</th>
                        </tr>
                    </thead>
                    {parts.map((part, i) => <Part key={`${from} ${to} ${i}`} part={part} />)}
                </table>
            </div>
        </>
    );
}

function Part({ part }: { readonly part: DiffPart }): JSX.Element {

    const [isOpen, setOpen] = useState(false);
    if ('rows' in part || isOpen) {
        return <tbody>{('rows' in part ? part.rows : part.skipped).map((row, i) => <Row key={i} row={row} />)}</tbody>;
    }

    return (
        <tbody><tr class="skipped"><td colSpan={4}>
            <button type="button" class="link" onClick={() => setOpen(true)}>⋯ {t('skipped', { count: part.skipped.length })}</button>
        </td></tr></tbody>
    );
}

function Row({ row: { kind, left, right } }: { readonly row: DiffRow }): JSX.Element {

    // Deletions and insertions also differ by a sign, not only by colour.
    const [isRemoved, isAdded] = [left !== undefined && kind !== 'same', right !== undefined && kind !== 'same'];
    return (
        <tr>
            <td class="line">{left?.line}</td>
            <td class={isRemoved ? 'removed' : ''}>{left && (isRemoved ? <del>{left.text}</del> : left.text)}</td>
            <td class="line">{right?.line}</td>
            <td class={isAdded ? 'added' : ''}>{right && (isAdded ? <ins>{right.text}</ins> : right.text)}</td>
        </tr>
    );
}
