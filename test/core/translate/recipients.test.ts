import { describe, expect, test } from 'vitest'
import { type PolicyName, policies, type ResponseRequest } from '../../../src/index.js'
import { builtin, custom, fn, mcp } from '../recipients/tools.js'
import { briefOutput, callTo, codes, createRun, terminal } from './run.js'

const declared: ResponseRequest = { tools: [fn('f'), custom('c'), mcp('github', ['a']), builtin('code_interpreter')] }
const nothing: ResponseRequest = {}

/** The item of a call, with its diagnostics. */
function made(policy: PolicyName, recipient: string, request: ResponseRequest): string[] {
  const run = createRun({ policy, request })
  run.push(callTo(recipient, '{}<|call|>'))
  return [...briefOutput(terminal(run.end())).map((line) => line.replace(/ "\{\}"$/, '')), ...codes(run.diagnostics)]
}

describe('each policy, from the tokens to the response', () => {
  test.each<[PolicyName, string, ResponseRequest, string[]]>([
    ['openai', 'functions.f', declared, ['function_call f completed']],
    ['openai', 'functions.c', declared, ['custom_tool_call c completed']],
    ['openai', 'github.a', declared, ['mcp_call github.a incomplete', 'missing_result']],
    ['openai', 'github.b', declared, ['mcp_call github.b failed', 'unavailable_tool']],
    ['openai', 'python', declared, ['code_interpreter_call incomplete', 'missing_result']],
    ['openai', 'browser.search', declared, ['function_call browser.search completed', 'undeclared_recipient']],
    ['openai', 'python', nothing, ['function_call python completed', 'undeclared_recipient']],
    ['openai', 'repo_browser.open', nothing, ['function_call repo_browser.open completed', 'undeclared_recipient']],
    ['agents', 'functions.f', declared, ['function_call f completed']],
    ['agents', 'functions.g', declared, ['function_call g completed', 'undeclared_recipient']],
    ['agents', 'python', declared, ['code_interpreter_call incomplete', 'missing_result']],
    ['agents', 'python', nothing, ['mcp_call python.python failed', 'unavailable_tool']],
    ['agents', 'repo_browser.open', nothing, ['mcp_call repo_browser.open failed', 'unavailable_tool']],
    ['vllm', 'functions.f', declared, ['function_call f completed']],
    ['vllm', 'f', declared, ['mcp_call f.f incomplete', 'missing_result']],
    ['vllm', 'python', declared, ['mcp_call code_interpreter.python incomplete', 'missing_result']],
    ['vllm', 'browser.search', nothing, ['mcp_call web_search_preview.search incomplete', 'missing_result']],
    ['vllm', 'repo_browser.open', nothing, ['mcp_call repo_browser.open incomplete', 'missing_result']],
    ['functions-only', 'functions.f', declared, ['function_call f completed']],
    ['functions-only', 'c', declared, ['custom_tool_call c completed']],
    ['functions-only', 'github.a', declared, ['function_call github.a completed', 'undeclared_recipient']],
    ['functions-only', 'python', declared, ['function_call python completed', 'undeclared_recipient']],
  ])('the policy %s decides the item for a call to %s in the response', (policy, recipient, request, expected) => {
    expect(made(policy, recipient, request)).toEqual(expected)
  })

  test("a table of the caller's own decides the item for a call in the response", () => {
    const run = createRun({ policy: { ...policies.openai, name: 'mine', undeclared: 'mcp_call' } })
    run.push(callTo('repo_browser.open', '{}<|call|>'))
    expect(briefOutput(terminal(run.end()))).toEqual(['mcp_call repo_browser.open incomplete "{}"'])
  })

  test.each(['openai', 'agents', 'vllm', 'functions-only'] as const)(
    'text without a recipient is a message under %s',
    (policy) => {
      const run = createRun({ policy })
      run.push('<|channel|>final to=user<|message|>Hi<|return|>')
      expect(briefOutput(terminal(run.end()))).toEqual(['message completed "Hi"'])
    },
  )
})
