import { expect, test } from 'vitest'
import { checkGenerate } from '../../../src/engines/contract/check-generate.js'
import type { GenerateOptions } from '../../../src/engines/contract/index.js'

const checked = (options: object): void => checkGenerate([1], options as GenerateOptions)

test.each([
  [{ constraint: 'json' }, 'constraint: expected an object'],
  [{ constraint: {} }, 'constraint: expected an object'],
  [{ constraint: { regex: 'a', jsonSchema: {} } }, 'constraint: expected an object'],
  [{ constraint: { jsonSchema: [] } }, 'constraint.jsonSchema: expected a JSON Schema, got an array'],
  [{ constraint: { regex: /a/ } }, 'constraint.regex: expected a string'],
  [{ constraint: { grammar: 'root ::= "a"' } }, 'constraint.syntax: expected lark or gbnf, got undefined'],
  [{ constraint: { grammar: 1, syntax: 'gbnf' } }, 'constraint.grammar: expected a string'],
  [{ max_tokens: 5 }, 'generate: there is no option "max_tokens", did you mean maxTokens?'],
  [{ sampling: { top_p: 1 } }, 'did you mean sampling.topP?'],
  [{ stop: [300000] }, 'stop[0]: expected a token id from 0 to 201087'],
  [{ cacheSalt: '' }, 'cacheSalt: expected a text of 1 to 128 letters'],
  [{ cacheSalt: 'a/b' }, 'cacheSalt: expected a text of 1 to 128 letters'],
  [{ cacheSalt: 15 }, 'cacheSalt: expected a text of 1 to 128 letters'],
  [{ trace: '00-a-b-01' }, 'trace: expected an object'],
  [{ trace: {} }, 'trace.traceparent: expected a traceparent'],
  [{ trace: { traceparent: '00-1-2-01\r\nx-evil: 1' } }, 'trace.traceparent: expected a traceparent'],
  [{ trace: { traceparent: '00-1-2-01', tracestate: 1 } }, 'trace.tracestate: expected a tracestate'],
])('every engine refuses %j', (options, message) => {
  expect(() => checked(options)).toThrow(message)
})

test('constraints and traces of the right shape pass', () => {
  checked({ constraint: { jsonSchema: { type: 'object' } } })
  checked({ constraint: { regex: '' } })
  checked({ constraint: { grammar: 'start: "a"', syntax: 'lark' } })
  checked({ trace: { traceparent: '00-1-2-01', tracestate: 'a=b' } })
})
