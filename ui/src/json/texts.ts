/** What is said about faulty JSON. */

import { defineTexts } from '../i18n/index.js';
import type { JsonSyntaxError } from './parse-json.js';

const t = defineTexts({
    en: {
        at: 'Line {line}, column {column}: {fault}', end: 'the text ends too early', value: 'a value is expected', name: 'a name in double quotes is expected',
        colon: 'a colon is expected', comma: 'a comma or a closing bracket is expected', string: 'this string is not closed, or holds a character that must be escaped',
        duplicate: 'this name occurs twice', depth: 'nested too deeply', rest: 'nothing may follow the value'
    },
    de: {
        at: 'Zeile {line}, Spalte {column}: {fault}', end: 'der Text endet zu früh', value: 'hier wird ein Wert erwartet', name: 'hier wird ein Name in doppelten Anführungszeichen erwartet',
        colon: 'hier wird ein Doppelpunkt erwartet', comma: 'hier wird ein Komma oder eine schließende Klammer erwartet',
        string: 'diese Zeichenkette ist nicht geschlossen oder enthält ein Zeichen, das maskiert werden muss',
        duplicate: 'dieser Name kommt zweimal vor', depth: 'zu tief verschachtelt', rest: 'nach dem Wert darf nichts folgen'
    },
    fr: {
        at: 'Ligne {line}, colonne {column} : {fault}', end: 'le texte se termine trop tôt', value: 'une valeur est attendue', name: 'un nom entre guillemets doubles est attendu',
        colon: 'un deux-points est attendu', comma: 'une virgule ou un crochet fermant est attendu',
        string: 'cette chaîne n’est pas fermée, ou contient un caractère à échapper',
        duplicate: 'ce nom apparaît deux fois', depth: 'trop d’imbrications', rest: 'rien ne doit suivre la valeur'
    }
});

/** The error in the language of the user. */
export function jsonErrorText({ line, column, fault }: JsonSyntaxError): string {

    return t('at', { line: String(line), column: String(column), fault: t(fault) });
}
