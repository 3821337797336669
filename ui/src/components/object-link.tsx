/** A link to an object, with its label instead of its id, and other small texts about objects. */

import type { JSX } from 'preact';
import { formatAgo, formatTime } from '../i18n/index.js';
import { to } from '../router.js';
import { labelOf } from '../state/labels.js';

/** A link to an object. Without a label that is known it shows the label of the service, or the id. */
export function ObjectLink({ id, label }: { readonly id: string; readonly label?: string }): JSX.Element {

    const text = label ?? labelOf(id).value?.label ?? id;
    return <a href={to.object(id)} title={id} dir="auto">{text}</a>;
}

/** The name of a user: a link, or plain text for `admin` and for others that are no objects. */
export function UserName({ id }: { readonly id: string }): JSX.Element {

    return id === 'admin' || !id.includes('/') ? <span>{id}</span> : <ObjectLink id={id} />;
}

/** How long ago something was, with the exact time. */
export function Ago({ time }: { readonly time: number }): JSX.Element {

    return <time dateTime={new Date(time).toISOString()} title={formatTime(time)}>{formatAgo(time)}</time>;
}
