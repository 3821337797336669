/** Points in time as fields for local times have them. Pure, for tests. */

/**
 * The local time of a text with a date and a time; empty for one that is none. It is made of its parts, as it differs from UTC by minutes and seconds before
 * there were time zones: each year that somebody types is one of these, digit by digit.
 */
export function localTime(text: string): string {

    const time = new Date(text);
    if (text === '' || Number.isNaN(time.getTime())) {
        return '';
    }

    const digits = (number: number, length = 2): string => String(number).padStart(length, '0');
    const day = `${digits(time.getFullYear(), 4)}-${digits(time.getMonth() + 1)}-${digits(time.getDate())}`;
    const milliseconds = time.getMilliseconds();
    return `${day}T${digits(time.getHours())}:${digits(time.getMinutes())}:${digits(time.getSeconds())}${milliseconds === 0 ? '' : `.${digits(milliseconds, 3)}`}`;
}
