/** Texts of the tab for methods. */

import { defineTexts } from '../../i18n/index.js';

export const t = defineTexts({
    en: {
        ofObject: 'Methods of this object', ofType: 'Methods of the type {type}', none: 'The type of this object defines no methods.', call: 'Call {name}', input: 'Input (JSON)', inputNone: 'Leave it empty for no input.', result: 'Result of {name}',
        empty: 'The method has returned nothing.', download: 'Download the result ({size})', invalid: 'The input is not JSON: {reason}', reading: 'only reads', lost: 'The connection was lost before the service answered: the method may have run. Look at what it changes before you call it again.',
        busy: 'The method is running …', operations: 'All operations on this object (DOIP)', form: 'As a form', json: 'As JSON',
        summary: 'What it does', operation: 'Operation', mayWrite: 'Calling a method may change the object.'
    },
    de: {
        ofObject: 'Methoden dieses Objekts', ofType: 'Methoden des Typs {type}', none: 'Der Typ dieses Objekts hat keine Methoden.', call: '{name} aufrufen', input: 'Eingabe (JSON)', inputNone: 'Leer für keine Eingabe.', result: 'Ergebnis von {name}',
        empty: 'Die Methode hat nichts zurückgegeben.', download: 'Ergebnis herunterladen ({size})', invalid: 'Die Eingabe ist kein JSON: {reason}', reading: 'liest nur', lost: 'Die Verbindung riss ab, bevor der Dienst geantwortet hat: Die Methode kann gelaufen sein. Sehen Sie nach, was sie ändert, bevor Sie sie noch einmal aufrufen.',
        busy: 'Die Methode läuft …', operations: 'Alle Operationen auf diesem Objekt (DOIP)', form: 'Als Formular', json: 'Als JSON',
        summary: 'Was sie tut', operation: 'Operation', mayWrite: 'Ein Aufruf kann das Objekt ändern.'
    },
    fr: {
        ofObject: 'Méthodes de cet objet', ofType: 'Méthodes du type {type}', none: 'Le type de cet objet ne définit aucune méthode.', call: 'Appeler {name}', input: 'Entrée (JSON)', inputNone: 'Vide pour aucune entrée.', result: 'Résultat de {name}',
        empty: 'La méthode n’a rien renvoyé.', download: 'Télécharger le résultat ({size})', invalid: 'L’entrée n’est pas du JSON : {reason}', reading: 'lecture seule', lost: 'La connexion a été coupée avant la réponse du service : la méthode a pu s’exécuter. Vérifiez ce qu’elle modifie avant de l’appeler de nouveau.',
        busy: 'La méthode s’exécute …', operations: 'Toutes les opérations sur cet objet (DOIP)', form: 'En formulaire', json: 'En JSON',
        summary: 'Ce qu’elle fait', operation: 'Opération', mayWrite: 'Un appel peut modifier l’objet.'
    }
});
