import { type CompletedCommand, type CompletedOption, quoted, type Values } from './completed.js'

/** Returns the completion for zsh, which may be sourced, or be a file of `fpath`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name, about }) => `    ${quoted(`${name}:${about}`)}`)
  const cases = commands.map(({ name, options, operands }) => {
    const specs = [...options.map(optionSpec), quoted(`*:operand:${actionOf(operands)}`)]
    return `    ${name})\n      _arguments \\\n${specs.map((spec) => `        ${spec}`).join(' \\\n')} ;;`
  })
  return `#compdef harmony-responses
_harmony_responses() {
  local context state line
  local -a commands=(
${names.join('\n')}
  )
  _arguments -C '--help[prints the help]' '--version[prints the version]' '1:command:->command' '*::operand:->operand'
  case $state in
    command) _describe command commands; return ;;
  esac
  case $words[1] in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _harmony-responses ]; then
  _harmony_responses "$@"
else
  compdef _harmony_responses harmony-responses
fi
`
}

function optionSpec({ name, about, isRepeatable, values }: CompletedOption): string {
  const explained = `[${about.replace(/[[\]\\:]/g, '\\$&')}]`
  if (values === undefined) return quoted(`${name}${explained}`)
  return quoted(`${isRepeatable ? '*' : ''}${name}=${explained}:value:${actionOf(values)}`)
}

function actionOf(values: Values): string {
  if (values === 'files') return '_files'
  if (values === 'folders') return '_files -/'
  return values === 'anything' ? ' ' : `(${values.map((word) => word.replaceAll(':', '\\:')).join(' ')})`
}
