/** Texts of the code editor. */

import { defineTexts } from '../i18n/index.js';

export const t = defineTexts({
    en: { syntax: 'Syntax error in line {line}', leave: 'Tab moves to the next element.' },
    de: { syntax: 'Syntaxfehler in Zeile {line}', leave: 'Die Tabulatortaste springt zum nächsten Element.' },
    fr: { syntax: 'Erreur de syntaxe à la ligne {line}', leave: 'La touche Tab passe à l’élément suivant.' }
});

/** What CodeMirror says, in other languages. */
export const PHRASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    de: {
        'Find': 'Suchen', 'Replace': 'Ersetzen', 'next': 'weiter', 'previous': 'zurück', 'all': 'alle', 'match case': 'Groß/klein', 'by word': 'ganze Wörter',
        'regexp': 'RegExp', 'replace': 'ersetzen', 'replace all': 'alle ersetzen', 'close': 'schließen', 'Go to line': 'Gehe zu Zeile', 'go': 'los',
        'Diagnostics': 'Meldungen', 'No diagnostics': 'Keine Meldungen', 'Completions': 'Vorschläge', 'Fold line': 'Einklappen', 'Unfold line': 'Ausklappen',
        'Folded lines': 'Eingeklappte Zeilen', 'Unfolded lines': 'Ausgeklappte Zeilen', 'unfold': 'ausklappen'
    },
    fr: {
        'Find': 'Chercher', 'Replace': 'Remplacer', 'next': 'suivant', 'previous': 'précédent', 'all': 'tout', 'match case': 'casse', 'by word': 'mots entiers',
        'regexp': 'regexp', 'replace': 'remplacer', 'replace all': 'tout remplacer', 'close': 'fermer', 'Go to line': 'Aller à la ligne', 'go': 'aller',
        'Diagnostics': 'Messages', 'No diagnostics': 'Aucun message', 'Completions': 'Suggestions', 'Fold line': 'Replier', 'Unfold line': 'Déplier',
        'Folded lines': 'Lignes repliées', 'Unfolded lines': 'Lignes dépliées', 'unfold': 'déplier'
    }
};
