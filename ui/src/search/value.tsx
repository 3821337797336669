/** Values of properties, as results and facets show them. */

import type { JSX } from 'preact';
import { ObjectLink } from '../components/object-link.js';
import { dateText } from '../i18n/dates.js';
import { formatNumber } from '../i18n/index.js';
import { isNumber, type Json } from '../json/exact-number.js';
import { writeJson } from '../json/write-json.js';
import { referencedId } from '../state/design.js';
import { labelOf } from '../state/labels.js';
import { valuesAt, type Field } from './fields.js';
import { t } from './texts.js';

/** Longer texts are cut. */
const MAX_LENGTH = 240;
const MAX_VALUES = 4;

/** The beginning of a text. */
export function shortened(text: string, length = MAX_LENGTH): string {

    return text.length > length ? `${text.slice(0, length).trimEnd()} …` : text;
}

/** A value as text. */
export function valueText(value: Json, kind: Field['kind']): string {

    if (typeof value === 'boolean') {
        return value ? t('yes') : t('no');
    }

    if (isNumber(value)) {
        // With all digits, and without separators: years, codes and measurements are numbers as well.
        return String(value);
    }

    if (typeof value !== 'string') {
        return value === null ? '–' : shortened(writeJson(value));
    }

    return (kind === 'date' || kind === 'time' ? dateText(value, kind) : null) ?? shortened(value);
}

/** The values of a field. */
export function FieldValues({ content, field }: { readonly content: Json | undefined; readonly field: Field }): JSX.Element | null {

    const values = valuesAt(content, field.path).filter((value) => value !== null && value !== '');
    if (values.length === 0) {
        return null;
    }

    return (
        <>
            {values.slice(0, MAX_VALUES).map((value, index) => (
                <span key={index} class="value" dir="auto">
                    {index > 0 && <span class="muted"> · </span>}
                    {field.kind === 'reference' && typeof value === 'string' ? <ObjectLink id={referencedId(field.reference ?? {}, value)} /> : valueText(value, field.kind)}
                </span>
            ))}
            {values.length > MAX_VALUES && <span class="muted"> +{formatNumber(values.length - MAX_VALUES)}</span>}
        </>
    );
}

/** A value of a facet or filter: the label of an object instead of its id. */
export function facetText(value: string, field: Pick<Field, 'kind' | 'reference'> | null): string {

    const kind = field?.kind;
    if (kind === 'boolean') {
        return value === 'true' ? t('yes') : value === 'false' ? t('no') : value;
    }

    const label = kind === 'reference' && value !== '' ? labelOf(referencedId(field?.reference ?? {}, value)).value?.label ?? value : value;
    return shortened(label, 80);
}
