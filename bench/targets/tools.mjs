import { expect } from '../measure.mjs'
import { pythonRows } from '../python-tool.mjs'
import { TOOLS } from '../tools.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'tools',
  measures:
    'a call of each tool that the host runs, beside the least that its work takes, from a server on this machine',
  target: [
    ...TOOLS.map(({ figure, atMost }) => `${atMost} ms more for ${figure}`),
    '300 ms for the first cell of Python, 5 ms a later one',
  ].join('; '),

  async run({ compare, size }) {
    const rows = []
    for (const { figure, beside, atMost, says, start } of TOOLS) {
      const { ours, other, end } = await start()
      const check = (text) => expect(text.includes(says), `not the answer: ${text.slice(0, 200)}`)
      const contenders = [
        { name: 'ours', run: ours, check },
        { name: 'other', run: other, check },
      ]
      const times = await compare(contenders, () => ({ units: 1 }))
      end()
      const [took, least] = ['ours', 'other'].map((name) => times.ns(name) / 1e6)
      const note = `${took.toFixed(2)} ms; ${beside} ${least.toFixed(2)}`
      rows.push({ figure: `beyond that, a call of ${figure}`, value: took - least, unit: 'ms', atMost, note })
    }
    return [...rows, ...(await pythonRows(size))]
  },
}
