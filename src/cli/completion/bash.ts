import type { CompletedCommand, Values } from './completed.js'

type Case = readonly [pattern: string, values: Values]

/** Returns the completion for bash, of any version from 3.2, which macOS has. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name)
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap((option): Case[] => (option.values ? [[`'${name} ${option.name}'`, option.values]] : [])),
  )
  const others: readonly Case[] = [
    [`' -'*`, ['--help', '--version']],
    ...commands.map(({ name, options }): Case => [`'${name} -'*`, options.map((option) => option.name)]),
    [`' '*`, names],
    ...commands.map(({ name, operands }): Case => [`'${name} '*`, operands]),
  ]
  return `# Completes harmony-responses in bash.
_harmony_responses() {
  local line=\${COMP_LINE:0:COMP_POINT} command= option= current= start= words= kind= word
  local -a typed
  # Without -r: an escaped space is part of a word.
  read -a typed <<<"$line"
  case $line in
    *[[:space:]]) ;;
    *) current=\${typed[\${#typed[@]} - 1]}; unset "typed[\${#typed[@]} - 1]" ;;
  esac
  for word in "\${typed[@]:1}"; do
    case $word in ${names.join('|')}) command=$word; break ;; esac
  done
  option=\${typed[\${#typed[@]} - 1]}
  case $current in --*=*) option=\${current%%=*}; start=$option=; current=\${current#*=} ;; esac
  case "$command $option" in
${casesOf(values, '    ')}
    *)
      case "$command $current" in
${casesOf(others, '        ')}
      esac ;;
  esac
  local IFS=$'\\n'
  case $kind in
    files) COMPREPLY=($(compgen -f -- "$current")); compopt -o filenames 2>/dev/null ;;
    folders) COMPREPLY=($(compgen -d -- "$current")); compopt -o filenames 2>/dev/null ;;
    *) COMPREPLY=($(IFS=' '; compgen -W "$words" -- "$current")) ;;
  esac
  [ \${#COMPREPLY[@]} -eq 0 ] && return
  # Bash replaces what follows the last character that breaks words.
  case $COMP_WORDBREAKS in *=*) ;; *) COMPREPLY=("\${COMPREPLY[@]/#/$start}") ;; esac
  case $COMP_WORDBREAKS in *:*) COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*:}"}"}") ;; esac
}
complete -F _harmony_responses harmony-responses
`
}

/** Returns the lines of a `case`, one for all patterns with the same effect. */
function casesOf(cases: readonly Case[], indent: string): string {
  const byEffect = new Map<string, string[]>()
  for (const [pattern, values] of cases) {
    const effect = typeof values === 'string' ? `kind=${values}` : `words='${values.join(' ')}'`
    byEffect.set(effect, [...(byEffect.get(effect) ?? []), pattern])
  }
  return Array.from(byEffect, ([effect, patterns]) => `${indent}${patterns.join('|')}) ${effect} ;;`).join('\n')
}
