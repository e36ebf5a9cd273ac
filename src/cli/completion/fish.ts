import type { CompletedCommand, Values } from './completed.js'

/** Returns the completion for fish. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name, about }) => `-n __fish_use_subcommand -a ${name} -d ${quoted(about)}`)
  const rows = commands.flatMap(({ name, options, operands }) => {
    const within = `-n '__fish_seen_subcommand_from ${name}'`
    return [
      ...(operands === 'anything' ? [] : [`${within} ${argumentsOf(operands)}`]),
      ...options.map((option) => {
        const values = option.values === undefined ? '' : `-r ${argumentsOf(option.values)} `
        return `${within} -l ${option.name.slice(2)} ${values}-d ${quoted(option.about)}`
      }),
    ]
  })
  const all = ['-f', '-n __fish_use_subcommand -l help', '-n __fish_use_subcommand -l version', ...names, ...rows]
  return `# Completes harmony-responses in fish.\n${all.map((row) => `complete -c harmony-responses ${row}\n`).join('')}`
}

function argumentsOf(values: Values): string {
  if (values === 'files') return '-F'
  if (values === 'folders') return "-f -a '(__fish_complete_directories)'"
  return values === 'anything' ? '-f' : `-f -a ${quoted(values.join(' '))}`
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`
}
