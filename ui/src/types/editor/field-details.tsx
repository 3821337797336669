/** What a field has besides its row: texts and limits. */

import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { NameList } from '../../components/name-list.js';
import { t as ofForms } from '../../form/texts.js';
import { isNumber, numberOf, type Json } from '../../json/exact-number.js';
import { memberOf, withMember, withoutMember } from '../../json/pointer.js';
import { writeJson } from '../../json/write-json.js';
import { typeNames } from '../../state/design.js';
import { GENERATED, type Field, type FieldModel, type Kind } from '../model/field.js';
import { t } from './texts.js';

interface FieldDetailsProps {
    readonly model: FieldModel;
    readonly field: Field;
    readonly isReadOnly: boolean;
    readonly onChange: (property: Json) => void;
    readonly onOpen: () => void;
}

type NumberKeyword = 'minLength' | 'maxLength' | 'minimum' | 'maximum' | 'minItems' | 'maxItems';

const LIMITS: Readonly<Partial<Record<Kind, readonly NumberKeyword[]>>> = {
    text: ['minLength', 'maxLength'], longText: ['minLength', 'maxLength'], link: ['maxLength'], number: ['minimum', 'maximum'], integer: ['minimum', 'maximum']
};

export function FieldDetails({ model, field, isReadOnly, onChange, onOpen }: FieldDetailsProps): JSX.Element {

    const { kind, isList, property, name } = field;
    const values = model.valueSchema(field);
    const set = (keyword: string, value: Json | undefined): void => onChange(model.withKeyword(field, keyword, value));
    const setOwn = (keyword: string, value: string): void => onChange(value === '' ? withoutMember(property, keyword) : withMember(property, keyword, value));
    const choices = memberOf(values, 'enum');
    return (
        <div class="field-details">
            <label>{t('label')}<input dir="auto" readOnly={isReadOnly} value={textOf(memberOf(property, 'title'))} onInput={(event) => setOwn('title', event.currentTarget.value)} /></label>
            <label class="two">{t('helpText')}<input dir="auto" readOnly={isReadOnly} value={textOf(memberOf(property, 'description'))} onInput={(event) => setOwn('description', event.currentTarget.value)} /></label>
            {(LIMITS[kind] ?? []).map((keyword) =>
                <Limit key={keyword} keyword={keyword} value={memberOf(values, keyword)} isReadOnly={isReadOnly} onChange={(value) => set(keyword, value)} />)}
            {(kind === 'text' || kind === 'longText') && (
                <label>{t('pattern')}<input class="mono" spellcheck={false} autocomplete="off" readOnly={isReadOnly} value={textOf(memberOf(values, 'pattern'))} onInput={(event) => set('pattern', event.currentTarget.value || undefined)} /></label>
            )}
            {isList && (['minItems', 'maxItems'] as const).map((keyword) => (
                <Limit key={keyword} keyword={keyword} value={memberOf(property, keyword)} isReadOnly={isReadOnly}
                    onChange={(value) => onChange(value === undefined ? withoutMember(property, keyword) : withMember(property, keyword, value))} />
            ))}
            {kind === 'choice' && <Choices choices={Array.isArray(choices) ? choices as readonly Json[] : []} isReadOnly={isReadOnly} onChange={(next) => set('enum', next)} />}
            {kind === 'reference' && (
                <div class="two"><NameList label={t('targetTypes')} hint={t('targetHint')} values={model.referenceTypes(field)} suggestions={typeNames.value} isReadOnly={isReadOnly} onChange={(types) => onChange(model.withReferenceTypes(field, types))} /></div>
            )}
            {kind === 'generated' && (
                <label>{t('whatGenerated')}
                    <select value={model.generated(property) ?? ''} disabled={isReadOnly} onChange={(event) => onChange(model.withGenerated(property, event.currentTarget.value))}>
                        {[...new Set([...GENERATED, ...model.generated(property) === null ? [] : [model.generated(property) ?? '']])].map((each) => (
                            <option key={each} value={each}>{GENERATED.some((known) => known === each) ? t(each as typeof GENERATED[number]) : each}</option>
                        ))}
                    </select>
                </label>
            )}
            {kind === 'object' && <div><button type="button" onClick={onOpen}>{t('nested', { name })}</button></div>}
            {kind === 'other' && <div class="wide-detail"><p class="muted">{t('isJson')}</p><pre>{writeJson(property, 2)}</pre></div>}
        </div>
    );
}

function textOf(value: Json | undefined): string {

    return typeof value === 'string' ? value : '';
}

/** A limit. Text that is no number, such as `100e`, removes none: when the field is left, it shows again what applies. */
function Limit({ keyword, value, isReadOnly, onChange }: {
    readonly keyword: NumberKeyword; readonly value: Json | undefined; readonly isReadOnly: boolean; readonly onChange: (value: Json | undefined) => void
}): JSX.Element {

    const [isFaulty, setFaulty] = useState(false);
    const id = useId();
    const stored = isNumber(value) ? String(value) : '';
    const change = ({ value: text, validity }: HTMLInputElement): void => {

        setFaulty(validity.badInput);
        if (!validity.badInput) {
            onChange(/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? numberOf(text) : undefined);
        }
    };

    const leave = (input: HTMLInputElement): void => {

        if (input.validity.badInput) {
            input.value = stored;
            setFaulty(false);
        }
    };

    return (
        <label>{t(keyword)}
            <input type="number" step="any" readOnly={isReadOnly} value={isFaulty ? undefined : stored} {...isFaulty ? { 'aria-invalid': 'true' as const, 'aria-describedby': id } : {}}
                onInput={({ currentTarget }) => change(currentTarget)} onBlur={({ currentTarget }) => leave(currentTarget)} />
            {isFaulty && <small id={id} class="form-error">{ofForms('notNumber')}</small>}
        </label>
    );
}

/** The texts of a choice. Other values, such as numbers, stay as they are. */
function Choices({ choices, isReadOnly, onChange }: {
    readonly choices: readonly Json[]; readonly isReadOnly: boolean; readonly onChange: (choices: readonly Json[]) => void
}): JSX.Element {

    const others = choices.filter((each) => typeof each !== 'string');
    return <div class="two"><NameList label={t('choices')} values={choices.filter((each): each is string => typeof each === 'string')} isReadOnly={isReadOnly} onChange={(next) => onChange([...next, ...others])} /></div>;
}
