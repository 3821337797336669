/** Texts about users and groups. */

import { defineTexts } from '../../i18n/index.js';

export const t = defineTexts({
    en: {
        users: 'Users', groups: 'Groups', newUser: 'New user', newGroup: 'New group', search: 'Search by name or id', none: 'Nobody is found.', noneYet: 'There are no users yet.',
        noGroups: 'There are no groups yet.', noGroupsFound: 'No group is found.', noTypes: 'No type has a property with the role “{role}”.', name: 'Name', id: 'Id', type: 'Type', state: 'State', active: 'active', inactive: 'deactivated', mustChange: 'must change password',
        changed: 'Changed', actions: 'Actions of {name}', open: 'Open', edit: 'Edit all fields', setPassword: 'Set password …', deactivate: 'Deactivate …', activate: 'Activate', access: 'Sessions and keys …', delete: 'Delete …',
        count: { one: '{count} user', other: '{count} users' }, members: 'Members', memberCount: { one: '{count} member', other: '{count} members' }, noMembers: 'The group has no members.',
        password: 'Password', newPassword: 'New password', generate: 'Generate', show: 'Show', mustChangeLabel: 'The password must be changed at the next login', create: 'Create', save: 'Save', cancel: 'Cancel',
        created: '{name} is created.', passwordSet: 'The password of {name} is set. All sessions of the account have ended.', deactivated: '{name} is deactivated.', activated: '{name} is active again.', deleted: '{name} is deleted.', saved: '{name} is saved.',
        deactivateTitle: 'Deactivate {name}?', deactivateText: 'The person cannot log in any more, and all sessions end. Objects and rights stay as they are.',
        deleteTitle: 'Delete {name}?', deleteText: 'The account ends, with its sessions and keys. Objects stay, and go on naming the id in their rights. To keep the account for later, deactivate it instead.',
        deleteGroupText: 'The members lose the rights that name the group. Objects go on naming its id in their rights.',
        noActive: 'Accounts of the type {type} cannot be deactivated: the type has no property for it.', addActive: 'Add the property', activeAdded: 'Accounts of the type {type} can be deactivated now.',
        moreFields: 'A form with all fields', description: 'Description', addMember: 'Add a user or group', remove: 'Remove {name}', searching: 'Searching …', useId: 'Use the id “{text}”', results: { one: '{count} suggestion', other: '{count} suggestions' },
        conflict: 'Somebody else has changed the group meanwhile. Close the dialog and open it again to see the present members.', accessTitle: 'Access of {name}',
        changedMeanwhile: 'Somebody else has changed {name} meanwhile, so nothing is deleted. Close the dialog, and look at it again first.', onlyPassword: 'The password is set, but not whether it must be changed at the next login: {error}', prefixHint: 'Ids of members begin with {prefix}.', otherPrefix: '{id} cannot be a member: ids of members begin with {prefix}.'
    },
    de: {
        users: 'Benutzer', groups: 'Gruppen', newUser: 'Neuer Benutzer', newGroup: 'Neue Gruppe', search: 'Nach Name oder Id suchen', none: 'Niemand gefunden.', noneYet: 'Es gibt noch keine Benutzer.',
        noGroups: 'Es gibt noch keine Gruppen.', noGroupsFound: 'Keine Gruppe gefunden.', noTypes: 'Kein Typ hat eine Eigenschaft mit der Rolle „{role}“.', name: 'Name', id: 'Id', type: 'Typ', state: 'Zustand', active: 'aktiv', inactive: 'gesperrt', mustChange: 'muss Passwort ändern',
        changed: 'Geändert', actions: 'Aktionen für {name}', open: 'Öffnen', edit: 'Alle Felder bearbeiten', setPassword: 'Passwort setzen …', deactivate: 'Sperren …', activate: 'Entsperren', access: 'Sitzungen und Schlüssel …', delete: 'Löschen …',
        count: { one: '{count} Benutzer', other: '{count} Benutzer' }, members: 'Mitglieder', memberCount: { one: '{count} Mitglied', other: '{count} Mitglieder' }, noMembers: 'Die Gruppe hat keine Mitglieder.',
        password: 'Passwort', newPassword: 'Neues Passwort', generate: 'Erzeugen', show: 'Zeigen', mustChangeLabel: 'Das Passwort muss bei der nächsten Anmeldung geändert werden', create: 'Anlegen', save: 'Speichern', cancel: 'Abbrechen',
        created: '{name} ist angelegt.', passwordSet: 'Das Passwort von {name} ist gesetzt. Alle Sitzungen des Kontos sind beendet.', deactivated: '{name} ist gesperrt.', activated: '{name} ist wieder aktiv.', deleted: '{name} ist gelöscht.', saved: '{name} ist gespeichert.',
        deactivateTitle: '{name} sperren?', deactivateText: 'Die Person kann sich nicht mehr anmelden, und alle Sitzungen enden. Objekte und Rechte bleiben, wie sie sind.',
        deleteTitle: '{name} löschen?', deleteText: 'Das Konto endet, mit seinen Sitzungen und Schlüsseln. Objekte bleiben und nennen die Id weiter in ihren Rechten. Um das Konto für später zu behalten, sperren Sie es.',
        deleteGroupText: 'Die Mitglieder verlieren die Rechte, die die Gruppe nennen. Objekte nennen die Id weiter in ihren Rechten.',
        noActive: 'Konten vom Typ {type} können nicht gesperrt werden: Der Typ hat keine Eigenschaft dafür.', addActive: 'Eigenschaft hinzufügen', activeAdded: 'Konten vom Typ {type} können jetzt gesperrt werden.',
        moreFields: 'Formular mit allen Feldern', description: 'Beschreibung', addMember: 'Benutzer oder Gruppe hinzufügen', remove: '{name} entfernen', searching: 'Wird gesucht …', useId: 'Die Id „{text}“ verwenden', results: { one: '{count} Vorschlag', other: '{count} Vorschläge' },
        conflict: 'Jemand anderes hat die Gruppe inzwischen geändert. Schließen und öffnen Sie den Dialog, um die jetzigen Mitglieder zu sehen.', accessTitle: 'Zugang von {name}',
        changedMeanwhile: 'Jemand anderes hat {name} inzwischen geändert; es ist nichts gelöscht. Schließen Sie den Dialog, und sehen Sie es sich zuerst noch einmal an.', onlyPassword: 'Das Passwort ist gesetzt, aber nicht, ob es bei der nächsten Anmeldung geändert werden muss: {error}', prefixHint: 'Ids von Mitgliedern beginnen mit {prefix}.', otherPrefix: '{id} kann kein Mitglied sein: Ids von Mitgliedern beginnen mit {prefix}.'
    },
    fr: {
        users: 'Utilisateurs', groups: 'Groupes', newUser: 'Nouvel utilisateur', newGroup: 'Nouveau groupe', search: 'Chercher par nom ou identifiant', none: 'Personne n’a été trouvé.', noneYet: 'Il n’y a pas encore d’utilisateurs.',
        noGroups: 'Il n’y a pas encore de groupes.', noGroupsFound: 'Aucun groupe trouvé.', noTypes: 'Aucun type n’a de propriété avec le rôle « {role} ».', name: 'Nom', id: 'Identifiant', type: 'Type', state: 'État', active: 'actif', inactive: 'désactivé', mustChange: 'doit changer de mot de passe',
        changed: 'Modifié', actions: 'Actions pour {name}', open: 'Ouvrir', edit: 'Modifier tous les champs', setPassword: 'Définir le mot de passe …', deactivate: 'Désactiver …', activate: 'Activer', access: 'Sessions et clés …', delete: 'Supprimer …',
        count: { one: '{count} utilisateur', other: '{count} utilisateurs' }, members: 'Membres', memberCount: { one: '{count} membre', other: '{count} membres' }, noMembers: 'Le groupe n’a pas de membres.',
        password: 'Mot de passe', newPassword: 'Nouveau mot de passe', generate: 'Générer', show: 'Afficher', mustChangeLabel: 'Le mot de passe doit être changé à la prochaine connexion', create: 'Créer', save: 'Enregistrer', cancel: 'Annuler',
        created: '{name} est créé.', passwordSet: 'Le mot de passe de {name} est défini. Toutes les sessions du compte sont terminées.', deactivated: '{name} est désactivé.', activated: '{name} est de nouveau actif.', deleted: '{name} est supprimé.', saved: '{name} est enregistré.',
        deactivateTitle: 'Désactiver {name} ?', deactivateText: 'La personne ne peut plus se connecter et toutes les sessions se terminent. Les objets et les droits restent tels quels.',
        deleteTitle: 'Supprimer {name} ?', deleteText: 'Le compte prend fin, avec ses sessions et ses clés. Les objets restent et continuent de nommer l’identifiant dans leurs droits. Pour garder le compte, désactivez-le.',
        deleteGroupText: 'Les membres perdent les droits qui nomment le groupe. Les objets continuent de nommer son identifiant dans leurs droits.',
        noActive: 'Les comptes du type {type} ne peuvent pas être désactivés : le type n’a pas de propriété pour cela.', addActive: 'Ajouter la propriété', activeAdded: 'Les comptes du type {type} peuvent maintenant être désactivés.',
        moreFields: 'Un formulaire avec tous les champs', description: 'Description', addMember: 'Ajouter un utilisateur ou un groupe', remove: 'Retirer {name}', searching: 'Recherche …', useId: 'Utiliser l’identifiant « {text} »', results: { one: '{count} suggestion', other: '{count} suggestions' },
        conflict: 'Quelqu’un d’autre a modifié le groupe entre-temps. Fermez et rouvrez le dialogue pour voir les membres actuels.', accessTitle: 'Accès de {name}',
        changedMeanwhile: 'Quelqu’un d’autre a modifié {name} entre-temps ; rien n’est supprimé. Fermez le dialogue et regardez-le d’abord de nouveau.', onlyPassword: 'Le mot de passe est défini, mais pas s’il doit être changé à la prochaine connexion : {error}', prefixHint: 'Les identifiants des membres commencent par {prefix}.', otherPrefix: '{id} ne peut pas être membre : les identifiants des membres commencent par {prefix}.'
    }
});
