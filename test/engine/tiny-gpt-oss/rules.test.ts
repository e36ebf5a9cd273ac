import { describe, expect, test } from 'vitest'
import { encodeHarmony } from '../../support/tokens.js'
import { compileRules } from './rules.js'

describe('the rules of a script', () => {
  test('a script has one rule for each token, with the tokens before it, newest first', () => {
    expect(compileRules([{ after: [1, 2], emit: [3, 4] }], 9)).toEqual([
      { context: [2, 1], next: 3 },
      { context: [3, 2, 1], next: 4 },
    ])
  })

  test('rules look no further back than the model', () => {
    expect(compileRules([{ after: [1, 2, 3], emit: [4, 5] }], 2)).toEqual([
      { context: [3, 2], next: 4 },
      { context: [4, 3], next: 5 },
    ])
  })

  test('rules are written once if scripts agree', () => {
    const script = { after: [1], emit: [2, 3] }
    expect(compileRules([script, script], 9)).toHaveLength(2)
  })

  test('rules repeat for ever if a script comes back to a context of its own', () => {
    expect(compileRules([{ after: [9], emit: [1, 2, 1, 2, 1] }], 1)).toEqual([
      { context: [9], next: 1 },
      { context: [1], next: 2 },
      { context: [2], next: 1 },
    ])
  })

  test('rules are refused if the same context needs two successors, with an error that shows all three', () => {
    const scripts = ['one', 'two'].map((answer) => ({
      after: encodeHarmony('<|end|><|start|>assistant'),
      emit: encodeHarmony(`<|channel|>final<|message|>${answer}`),
    }))
    expect(() => compileRules(scripts, 2)).toThrow(
      'ambiguous scripts: after "final" <|message|> would have to follow both "one" and "two". ' +
        'Make the last 2 tokens before them differ, or let the model look back further (history)',
    )
  })

  test('rules need a token to follow', () => {
    expect(() => compileRules([{ after: [], emit: [1] }], 9)).toThrow('after at least one token')
  })
})
