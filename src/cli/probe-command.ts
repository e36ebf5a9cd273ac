import type { Command } from './command.js'
import { OPTIONS, OPTIONS_HELP, SUMMARY } from './probe-options.js'

export const probe: Command = {
  name: 'probe',
  operands: 'URL',
  summary: SUMMARY,
  help: OPTIONS_HELP,
  options: OPTIONS,
  async run(argv, io) {
    const { runProbe } = await import('./probe.js')
    return runProbe(argv, io)
  },
}
