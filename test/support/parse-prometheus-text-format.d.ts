/** The part of the package that tests use. */
declare module 'parse-prometheus-text-format' {

    export default function parsePrometheusTextFormat(text: string): unknown;
}
