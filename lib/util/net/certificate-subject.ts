/** Identities in the subjects of certificates, as DOIP software writes them. */

/** Attributes of the subject that may hold the identity, the first that is there counts. */
const IDENTITY_ATTRIBUTES = ['UID', 'CN', 'O'] as const;

/** Returns the identity in a subject, one attribute on each line; without the index of a handle value, such as `300:` in `300:20.500.123/ann`. */
export function identityOf(subject: string): string | null {

    const lines = subject.split('\n');
    for (const name of IDENTITY_ATTRIBUTES) {
        const line = lines.find((each) => each.startsWith(`${name}=`));
        const value = line === undefined ? '' : unescaped(line.slice(name.length + 1)).replace(/^\d+:/, '');
        if (value !== '') {
            return value;
        }
    }

    return null;
}

/** Undoes the escapes of RFC 2253: a backslash before a character, or before the two hexadecimal digits of an octet. */
function unescaped(text: string): string {

    return text.replace(/(?:\\[0-9A-Fa-f]{2})+/g, (octets) => Buffer.from(octets.replaceAll('\\', ''), 'hex').toString('utf8')).replace(/\\(.)/g, '$1');
}
