import { pythonRows } from './python-tool.mjs'

/**
 * What is measured of each tool: a function from `size` of the measure to its rows, or to why it is skipped.
 *
 * @type {readonly ((size: (full: number, smoke: number) => number) => Promise<import('./target.mjs').Row[] | { readonly skipped: string }>)[]}
 */
export const ROWS = [pythonRows]
