/** Texts of the tab for rights. */

import { defineTexts } from '../../i18n/index.js';

export const t = defineTexts({
    en: {
        title: 'Who may do what', right: 'Who may', people: 'Users and groups', source: 'Said', actions: 'Actions', read: 'read', readPayloads: 'read files', write: 'change and delete', sameAsRead: 'as read',
        method: 'call {name}', otherMethods: 'call other methods', anyMethod: 'call methods', addMethod: 'Rule for a method', readers: 'who may read', writers: 'who may change', public: 'everyone', authenticated: 'all who are logged in', creator: 'who created it', self: 'the user that it is', nobody: 'only admin', edit: 'Change', editRight: 'Change who may {right}',
        save: 'Save', cancel: 'Cancel', restore: 'Back to the rules of the type', add: 'Add a user, a group or a word', remove: 'Remove {name}', adminAlways: 'admin may always do everything.',
        partial: 'The rule names others whom you may not see: they will not have this right here.',
        lost: 'After this you may no longer change this object yourself.', saved: 'The rights are saved.', changedMeanwhile: 'Somebody else has changed this object meanwhile. Your change is now made to the new list: look at it, then save again.',
        check: 'Check somebody', user: 'User', may: 'may {right}', mayNot: 'may not {right}', by: 'by “{entry}”', notBy: 'is in none of: {entries}', groups: 'Groups: {groups}', noGroups: 'in no group', blocked: 'This account is blocked: it cannot log in.', others: 'others that you may not see',
        unavailable: 'This service does not explain rights. The access control list of the object is:'
    },
    de: {
        title: 'Wer was darf', right: 'Wer darf', people: 'Benutzer und Gruppen', source: 'Geregelt', actions: 'Aktionen', read: 'lesen', readPayloads: 'Dateien lesen', write: 'ändern und löschen', sameAsRead: 'wie lesen',
        method: '{name} aufrufen', otherMethods: 'andere Methoden aufrufen', anyMethod: 'Methoden aufrufen', addMethod: 'Regel für eine Methode', readers: 'wer lesen darf', writers: 'wer ändern darf', public: 'alle', authenticated: 'alle Angemeldeten', creator: 'wer es angelegt hat', self: 'der Benutzer, der es ist', nobody: 'nur admin', edit: 'Ändern', editRight: 'Ändern, wer darf: {right}',
        save: 'Speichern', cancel: 'Abbrechen', restore: 'Zurück zu den Regeln des Typs', add: 'Benutzer, Gruppe oder Wort hinzufügen', remove: '{name} entfernen', adminAlways: 'admin darf immer alles.',
        partial: 'Die Regel nennt andere, die Sie nicht sehen dürfen: Sie haben dieses Recht hier dann nicht.',
        lost: 'Danach dürfen Sie dieses Objekt selbst nicht mehr ändern.', saved: 'Die Rechte sind gespeichert.', changedMeanwhile: 'Jemand anderes hat dieses Objekt inzwischen geändert. Ihre Änderung steht nun in der neuen Liste: Sehen Sie sie an, und speichern Sie noch einmal.',
        check: 'Jemanden prüfen', user: 'Benutzer', may: 'darf {right}', mayNot: 'darf nicht {right}', by: 'durch „{entry}“', notBy: 'ist in keinem von: {entries}', groups: 'Gruppen: {groups}', noGroups: 'in keiner Gruppe', blocked: 'Dieses Konto ist gesperrt: Es kann sich nicht anmelden.', others: 'andere, die Sie nicht sehen dürfen',
        unavailable: 'Dieser Dienst erklärt Rechte nicht. Die Zugriffsliste des Objekts ist:'
    },
    fr: {
        title: 'Qui peut faire quoi', right: 'Qui peut', people: 'Utilisateurs et groupes', source: 'Défini', actions: 'Actions', read: 'lire', readPayloads: 'lire les fichiers', write: 'modifier et supprimer', sameAsRead: 'comme lire',
        method: 'appeler {name}', otherMethods: 'appeler d’autres méthodes', anyMethod: 'appeler des méthodes', addMethod: 'Règle pour une méthode', readers: 'qui peut lire', writers: 'qui peut modifier', public: 'tous', authenticated: 'toutes les personnes connectées', creator: 'qui l’a créé', self: 'l’utilisateur qu’il est', nobody: 'admin seulement', edit: 'Modifier', editRight: 'Modifier qui peut {right}',
        save: 'Enregistrer', cancel: 'Annuler', restore: 'Revenir aux règles du type', add: 'Ajouter un utilisateur, un groupe ou un mot', remove: 'Retirer {name}', adminAlways: 'admin peut toujours tout faire.',
        partial: 'La règle en nomme d’autres que vous ne pouvez pas voir : ils n’auront plus ce droit ici.',
        lost: 'Ensuite, vous ne pourrez plus modifier cet objet vous-même.', saved: 'Les droits sont enregistrés.', changedMeanwhile: 'Quelqu’un d’autre a modifié cet objet entre-temps. Votre modification porte maintenant sur la nouvelle liste : regardez-la, puis enregistrez de nouveau.',
        check: 'Vérifier quelqu’un', user: 'Utilisateur', may: 'peut {right}', mayNot: 'ne peut pas {right}', by: 'par « {entry} »', notBy: 'n’est dans aucun de : {entries}', groups: 'Groupes : {groups}', noGroups: 'dans aucun groupe', blocked: 'Ce compte est bloqué : il ne peut pas se connecter.', others: 'd’autres que vous ne pouvez pas voir',
        unavailable: 'Ce service n’explique pas les droits. La liste de contrôle d’accès de l’objet est :'
    }
});

const WORDS = ['public', 'authenticated', 'creator', 'self', 'readers', 'writers'] as const;

/** The name of an entry that is a word; undefined for ids. */
export function wordName(entry: string): string | undefined {

    const word = WORDS.find((each) => each === entry);
    return word === undefined ? undefined : t(word);
}
