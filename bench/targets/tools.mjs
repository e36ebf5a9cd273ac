import { ROWS } from '../tools.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'tools',
  measures: 'the tools that the host runs, each beside what it is made of',
  target: 'Python: 300 ms for the first cell, 5 ms a later one, beyond what Python itself takes',

  async run({ size }) {
    const tools = await Promise.all(ROWS.map((measured) => measured(size)))
    const rows = tools.filter((found) => Array.isArray(found)).flat()
    return rows.length > 0 ? rows : { skipped: tools.map(({ skipped }) => skipped).join('; ') }
  },
}
