import { describe, expect, test } from 'vitest'
import { type PolicyName, policies, type RecipientPolicy, resolvePolicy } from '../../../src/core/recipients/policy.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'

describe('resolvePolicy', () => {
  test('resolvePolicy gives the openai policy by default', () => {
    expect(resolvePolicy(undefined)).toBe(policies.openai)
  })

  test.each(Object.keys(policies) as PolicyName[])('resolvePolicy gives the preset %s by its name', (name) => {
    expect(resolvePolicy(name)).toMatchObject({ name })
  })

  test('resolvePolicy gives a table as it is', () => {
    const mine: RecipientPolicy = { ...policies.agents, name: 'mine' }
    expect(resolvePolicy(mine)).toBe(mine)
  })

  test.each(['azure', 'constructor', null, 1])('resolvePolicy rejects %s and lists the presets', (name) => {
    const message = `policy: expected one of openai, agents, vllm, functions-only, or a table, got ${JSON.stringify(name)}`
    expect(() => resolvePolicy(name as PolicyName)).toThrow(new HarmonyResponsesError('bad_option', message))
  })
})

test('a policy is plain data', () => {
  expect(JSON.parse(JSON.stringify(policies))).toEqual(policies)
})
