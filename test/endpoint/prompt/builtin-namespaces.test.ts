import { beforeAll, describe, expect, test } from 'vitest'
import type { BuiltinTool } from '../../../src/core/recipients/builtin-tools.js'
import { builtinNamespaces } from '../../../src/endpoint/prompt/builtin-namespaces.js'
import { loadOfficial, type Official } from '../../support/official-parser.js'

let official: Official
beforeAll(async () => {
  official = await loadOfficial()
}, 180_000)

const names = (...builtins: BuiltinTool[]): string[] =>
  builtinNamespaces(new Set(builtins)).map(({ name, tools }) => `${name}: ${tools.map(({ name }) => name)}`)

describe('the namespaces of built-in tools', () => {
  test('the namespaces of built-in tools are those that the models were trained with', () => {
    expect(builtinNamespaces(new Set(['web_search']))).toEqual([official.namespaceOf('browser')])
    expect(builtinNamespaces(new Set(['code_interpreter']))).toEqual([official.namespaceOf('python')])
  })

  test('the namespaces of built-in tools are those of the declared tools alone, in the order of their names', () => {
    expect(names()).toEqual([])
    expect(names('code_interpreter', 'web_search')).toEqual(['browser: search,open,find', 'python: '])
    expect(names('code_interpreter', 'local_shell', 'web_search')).toEqual([
      'browser: search,open,find',
      'container: exec',
      'python: ',
    ])
  })

  test('both shells share one container namespace, with the arguments that the item can carry', () => {
    const argumentsOf = (...builtins: BuiltinTool[]): string[] => {
      const [tool] = builtinNamespaces(new Set(builtins))[0]?.tools ?? []
      return Object.keys(Object(tool?.parameters).properties)
    }
    expect(argumentsOf('shell')).toEqual(['cmd', 'timeout', 'max_output_length'])
    expect(argumentsOf('local_shell')).toEqual(['cmd', 'timeout', 'workdir', 'env', 'user'])
    expect(argumentsOf('shell', 'local_shell')).toEqual(argumentsOf('shell'))
  })
})
