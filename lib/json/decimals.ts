/** Decimal numbers as they are written, which doubles only approximate: 0.01 is a hundredth. */

/** A number: its sign, its digits without zeros around them, and the exponent of the last one. Zero has no sign. */
export interface Decimal {
    readonly sign: string;
    readonly digits: string;
    readonly exponent: number;
}

const ZERO: Decimal = { sign: '', digits: '0', exponent: 0 };

/** Returns the value of the text of a number, which is the same for all texts of the value. */
export function decimalOf(text: string): Decimal {

    const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
    const digits = whole + fraction;
    let [start, end] = [0, digits.length];
    while (digits[start] === '0') {
        ++start;
    }

    while (end > start && digits[end - 1] === '0') {
        --end;
    }

    return start === end ? ZERO : { sign, digits: digits.slice(start, end), exponent: Number(exponent) - fraction.length + digits.length - end };
}

/** Returns whether two texts of numbers have the same value. */
export function isSameDecimal(first: string, second: string): boolean {

    const [a, b] = [decimalOf(first), decimalOf(second)];
    return a.sign === b.sign && a.digits === b.digits && a.exponent === b.exponent;
}

/** Returns how many powers of ten lie between the last digits of two numbers; what {@link isMultiple} costs grows with it. */
export function distanceOf(first: Decimal, second: Decimal): number {

    return Math.abs(first.exponent - second.exponent);
}

/** Returns whether a number is a multiple of another one, exactly. For numbers that doubles can have: others may have any exponent. */
export function isMultiple(value: Decimal, step: Decimal): boolean {

    if (value.digits === '0' || step.digits === '0') {
        return value.digits === '0';
    }

    const exponent = Math.min(value.exponent, step.exponent);
    return scaled(value, exponent) % scaled(step, exponent) === 0n;
}

/** Returns the digits of a number up to an exponent, without the sign. */
function scaled({ digits, exponent }: Decimal, last: number): bigint {

    return BigInt(digits) * 10n ** BigInt(exponent - last);
}
