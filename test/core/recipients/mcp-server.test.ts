import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { declareMcpServer, type McpServerRules, type ReadOnlyHints } from '../../../src/core/recipients/mcp-server.js'
import type { McpTool, McpToolFilter } from '../../../src/core/responses/request.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { RUNS } from '../../support/runs.js'

type Allowed = McpTool['allowed_tools']
type Approval = McpTool['require_approval']
type Rules = Pick<McpTool, 'allowed_tools' | 'require_approval'>

const entry = (rules: Rules = {}): McpTool => ({ type: 'mcp', server_label: 'github', ...rules })
const declare = (rules: Rules, hints?: ReadOnlyHints, before?: McpServerRules): McpServerRules =>
  declareMcpServer(entry(rules), '', before, hints)

const NAMES = ['read', 'write', 'other']
/** The server's listing: one tool reads, one writes, one is not listed. */
const listed: ReadOnlyHints = (_, name) => ({ read: true, write: false })[name]

/** One letter each for a tool that reads, one that writes and one that is not listed. */
function letters(test: (name: string) => boolean): string {
  return NAMES.map((name) => (test(name) ? name[0] : '-')).join('')
}

describe('allows', () => {
  test.each<[string, Allowed, string, string]>([
    // what it is, the filter, without a listing, with one
    ['nothing said', undefined, 'rwo', 'rwo'],
    ['null', null, 'rwo', 'rwo'],
    ['names', ['read', 'other'], 'r-o', 'r-o'],
    ['no names', [], '---', '---'],
    ['a star', ['*'], 'rwo', 'rwo'],
    ['a star among names', ['read', '*'], 'rwo', 'rwo'],
    ['a filter by names', { tool_names: ['write'] }, '-w-', '-w-'],
    ['a filter by no names', { tool_names: [] }, '---', '---'],
    ['a filter by a star', { tool_names: ['*'] }, 'rwo', 'rwo'],
    ['an empty filter', {}, 'rwo', 'rwo'],
    ['a filter of nulls', { tool_names: null, read_only: null }, 'rwo', 'rwo'],
    ['a filter of what reads', { read_only: true }, 'rwo', 'r-o'],
    ['a filter of what writes', { read_only: false }, 'rwo', '-wo'],
    ['a filter of named ones that read', { tool_names: ['read', 'write'], read_only: true }, 'rw-', 'r--'],
    ['a filter of named ones that write', { tool_names: ['read', 'write'], read_only: false }, 'rw-', '-w-'],
    ['a name in another case', ['READ'], '---', '---'],
    ['a name with spaces around', [' read '], '---', '---'],
  ])('a server allows what allowed_tools says: %s', (_, allowed_tools, unlisted, asListed) => {
    const rules = allowed_tools === undefined ? {} : { allowed_tools }
    expect(letters(declare(rules).allows)).toBe(unlisted)
    expect(letters(declare(rules, listed).allows)).toBe(asListed)
  })

  test.each(['constructor', '__proto__', 'toString', '', '0', 'length'])(
    'a server allows no name that it was not given: %j',
    (name) => {
      expect(declare({ allowed_tools: ['read'] }).allows(name)).toBe(false)
      expect(declare({ allowed_tools: { tool_names: ['read'] } }).allows(name)).toBe(false)
    },
  )
})

describe('needsApproval', () => {
  test.each<[string, Approval, string, string]>([
    // what it is, the rule, without a listing, with one
    ['nothing said', undefined, 'rwo', 'rwo'],
    ['null', null, 'rwo', 'rwo'],
    ['never', 'never', '---', '---'],
    ['always', 'always', 'rwo', 'rwo'],
    ['an empty object', {}, 'rwo', 'rwo'],
    ['nulls', { always: null, never: null }, 'rwo', 'rwo'],
    ['always by names', { always: { tool_names: ['write'] } }, '-w-', '-w-'],
    ['always by a star', { always: { tool_names: ['*'] } }, 'rwo', 'rwo'],
    ['always by no names', { always: { tool_names: [] } }, '---', '---'],
    ['always anything', { always: {} }, 'rwo', 'rwo'],
    ['never by names', { never: { tool_names: ['read'] } }, '-wo', '-wo'],
    ['never by a star', { never: { tool_names: ['*'] } }, '---', '---'],
    ['never by no names', { never: { tool_names: [] } }, 'rwo', 'rwo'],
    ['never anything', { never: {} }, '---', '---'],
    ['never what reads', { never: { read_only: true } }, 'rwo', '-wo'],
    ['never what writes', { never: { read_only: false } }, 'rwo', 'r-o'],
    ['always what writes', { always: { read_only: false } }, 'rwo', '-wo'],
    ['always what reads', { always: { read_only: true } }, 'rwo', 'r-o'],
    ['never named ones that read', { never: { tool_names: ['read', 'write'], read_only: true } }, 'rwo', '-wo'],
    ['both, apart', { always: { tool_names: ['write'] }, never: { tool_names: ['read'] } }, '-wo', '-wo'],
    ['both of one tool', { always: { tool_names: ['read'] }, never: { tool_names: ['read', 'other'] } }, 'rw-', 'rw-'],
    ['both of all tools', { always: {}, never: {} }, 'rwo', 'rwo'],
  ])('approval is needed for what require_approval says: %s', (_, require_approval, unlisted, asListed) => {
    const rules = require_approval === undefined ? {} : { require_approval }
    expect(letters(declare(rules).needsApproval)).toBe(unlisted)
    expect(letters(declare(rules, listed).needsApproval)).toBe(asListed)
  })

  test.each<[string, NonNullable<Allowed>, string]>([
    ['by names', ['read'], 'r--'],
    ['by no names', [], '---'],
    ['by a filter', { tool_names: ['write', 'other'] }, '-wo'],
    ['by what reads', { read_only: true }, 'r-o'],
  ])('approval is needed for nothing that is not allowed, %s', (_, allowed_tools, expected) => {
    expect(letters(declare({ allowed_tools, require_approval: 'always' }, listed).needsApproval)).toBe(expected)
  })
})

describe('hints', () => {
  test('hints are asked for with the label and the name', () => {
    const asked: string[] = []
    const hints: ReadOnlyHints = (label, name) => {
      asked.push(`${label} / ${name}`)
      return true
    }
    declare({ require_approval: { never: { read_only: true } } }, hints).needsApproval('issues.list')
    expect(new Set(asked)).toEqual(new Set(['github / issues.list']))
  })

  test('a tool that the server did not list is not allowed by any rule, and needs no approval', () => {
    const hints: ReadOnlyHints = (_, name) => (name === 'read' ? true : null)
    const rules: Rules[] = [{}, { require_approval: 'always' }, { allowed_tools: ['read', 'write'] }]
    for (const each of rules) {
      const server = declare(each, hints)
      expect([letters(server.allows), letters(server.needsApproval)]).toEqual(['r--', 'r--'])
    }
  })
})

describe('two entries of one label', () => {
  const both = (one: Rules, other: Rules): string => {
    const server = declare(other, listed, declare(one, listed))
    return `${letters(server.allows)} ${letters(server.needsApproval)}`
  }
  test.each<[string, Rules, Rules, string]>([
    ['allow what either allows', { allowed_tools: ['read'] }, { allowed_tools: ['write'] }, 'rw- rw-'],
    [
      'ask if one filter does not cover the tool',
      { allowed_tools: ['read'] },
      { require_approval: 'never' },
      'rwo r--',
    ],
    [
      'ask for what either asks for, of what it allows',
      { allowed_tools: ['read'], require_approval: 'always' },
      { allowed_tools: ['write'], require_approval: 'never' },
      'rw- r--',
    ],
    [
      'ask where one asks and the other does not',
      { require_approval: 'always' },
      { require_approval: 'never' },
      'rwo rwo',
    ],
    [
      'do not ask for what the one that asks does not allow',
      { allowed_tools: [], require_approval: 'always' },
      { require_approval: 'never' },
      'rwo ---',
    ],
  ])('two entries of one label %s', (_, one, other, expected) => {
    expect(both(one, other)).toBe(expected)
    expect(both(other, one)).toBe(expected)
  })
})

describe('laws', () => {
  const names = fc.subarray([...NAMES, '*', 'issues.list', 'constructor'])
  const filter: fc.Arbitrary<McpToolFilter> = fc.record(
    { tool_names: fc.oneof(fc.constant(null), names), read_only: fc.constantFrom(null, true, false) },
    { requiredKeys: [] },
  )
  const allowed: fc.Arbitrary<Allowed> = fc.oneof(fc.constantFrom(undefined, null), names, filter)
  const filters: fc.Arbitrary<Approval> = fc.record(
    { always: fc.oneof(fc.constant(null), filter), never: fc.oneof(fc.constant(null), filter) },
    { requiredKeys: [] },
  )
  const approval: fc.Arbitrary<Approval> = fc.oneof(
    fc.constantFrom<Approval>(undefined, null, 'always', 'never'),
    filters,
  )
  const hints: fc.Arbitrary<ReadOnlyHints | undefined> = fc.option(
    fc.dictionary(fc.constantFrom(...NAMES), fc.boolean()).map(
      (said): ReadOnlyHints =>
        (_, name) =>
          Object.hasOwn(said, name) ? said[name] : undefined,
    ),
    { nil: undefined },
  )
  const rules: fc.Arbitrary<Rules> = fc.tuple(allowed, approval).map(([allowed_tools, require_approval]) => ({
    ...(allowed_tools === undefined ? {} : { allowed_tools }),
    ...(require_approval === undefined ? {} : { require_approval }),
  }))
  const name = fc.constantFrom(...NAMES, 'issues.list', 'constructor', '*', '')
  const unsaid = fc.constantFrom('always' as const, 'never' as const)
  const several = fc.array(rules, { minLength: 1, maxLength: 4 })
  const add = (entries: readonly Rules[], hints?: ReadOnlyHints): McpServerRules =>
    entries.reduce<McpServerRules | undefined>((before, rules) => declare(rules, hints, before), undefined) ??
    declare({})
  const assert = <Values extends [unknown, ...unknown[]]>(property: fc.IPropertyWithHooks<Values>): void =>
    fc.assert(property, { numRuns: RUNS })

  test('nothing needs approval that is not allowed', () => {
    assert(
      fc.property(several, hints, name, (entries, hints, name) => {
        const server = add(entries, hints)
        if (!server.allows(name)) expect(server.needsApproval(name)).toBe(false)
      }),
    )
  })

  test("require_approval 'always' asks for exactly the allowed tools", () => {
    assert(
      fc.property(allowed, hints, name, (allowed_tools, hints, name) => {
        const server = declare(
          { ...(allowed_tools === undefined ? {} : { allowed_tools }), require_approval: 'always' },
          hints,
        )
        expect(server.needsApproval(name)).toBe(server.allows(name))
      }),
    )
  })

  test("require_approval 'never' asks for nothing", () => {
    assert(
      fc.property(allowed, hints, name, unsaid, (allowed, hints, name, unsaid) => {
        const rules = {
          ...(allowed === undefined ? {} : { allowed_tools: allowed }),
          require_approval: 'never' as const,
        }
        expect(declare(rules, hints).needsApproval(name, unsaid)).toBe(false)
      }),
    )
  })

  test('an omitted filter asks like the default written out', () => {
    const nothing = fc.constantFrom<Approval>(undefined, null, {}, { always: null }, { never: null })
    assert(
      fc.property(allowed, hints, name, unsaid, nothing, (allowed, hints, name, unsaid, approval) => {
        const rules = (require_approval: Approval): Rules => ({
          ...(allowed === undefined ? {} : { allowed_tools: allowed }),
          ...(require_approval === undefined ? {} : { require_approval }),
        })
        const said = declare(rules(unsaid), hints).needsApproval(name)
        expect(declare(rules(approval), hints).needsApproval(name, unsaid)).toBe(said)
      }),
    )
  })

  test('a default changes nothing if a value is given', () => {
    const something = approval.filter((approval) => Object.values(Object(approval)).some((filter) => filter !== null))
    assert(
      fc.property(something, hints, name, (approval, hints, name) => {
        const server = declare({ require_approval: approval ?? null }, hints)
        expect(server.needsApproval(name, 'never')).toBe(server.needsApproval(name, 'always'))
      }),
    )
  })

  test('tools that always names need approval, even if never names them too', () => {
    assert(
      fc.property(filter, filter, hints, name, (always, never, hints, name) => {
        const alone = declare({ require_approval: { always } }, hints)
        const both = declare({ require_approval: { always, never } }, hints)
        if (alone.needsApproval(name)) expect(both.needsApproval(name)).toBe(true)
      }),
    )
  })

  test('if both are given, a call is free exactly if never names it and always does not', () => {
    assert(
      fc.property(filter, filter, hints, name, (always, never, hints, name) => {
        const isAlways = declare({ require_approval: { always } }, hints).needsApproval(name)
        const isNever = !declare({ require_approval: { never } }, hints).needsApproval(name)
        const both = declare({ require_approval: { always, never } }, hints)
        expect(both.needsApproval(name)).toBe(isAlways || !isNever)
      }),
    )
  })

  test('entries of one label add up: each of the two answers is the or of theirs', () => {
    assert(
      fc.property(several, hints, name, (entries, hints, name) => {
        const server = add(entries, hints)
        const each = entries.map((rules) => declare(rules, hints))
        expect(server.allows(name)).toBe(each.some((one) => one.allows(name)))
        expect(server.needsApproval(name)).toBe(each.some((one) => one.needsApproval(name)))
      }),
    )
  })

  test('the order of the entries changes nothing', () => {
    assert(
      fc.property(several, hints, name, (entries, hints, name) => {
        const [there, back] = [add(entries, hints), add(entries.toReversed(), hints)]
        expect(back.allows(name)).toBe(there.allows(name))
        expect(back.needsApproval(name)).toBe(there.needsApproval(name))
      }),
    )
  })

  test('approval changes nothing about what is allowed', () => {
    assert(
      fc.property(rules, hints, name, (rules, hints, name) => {
        const { require_approval: _, ...without } = rules
        expect(declare(rules, hints).allows(name)).toBe(declare(without, hints).allows(name))
      }),
    )
  })

  test('a list of names is a filter by these names', () => {
    assert(
      fc.property(names, approval, hints, name, (tool_names, approval, hints, name) => {
        const require_approval = approval ?? null
        const list = declare({ allowed_tools: tool_names, require_approval }, hints)
        const filter = declare({ allowed_tools: { tool_names }, require_approval }, hints)
        expect(list.allows(name)).toBe(filter.allows(name))
        expect(list.needsApproval(name)).toBe(filter.needsApproval(name))
      }),
    )
  })

  test('a filter of two conditions allows what both allow alone', () => {
    assert(
      fc.property(names, fc.boolean(), hints, name, (tool_names, read_only, hints, name) => {
        const both = declare({ allowed_tools: { tool_names, read_only } }, hints)
        const apart = [{ tool_names }, { read_only }].map((allowed_tools) => declare({ allowed_tools }, hints))
        expect(both.allows(name)).toBe(apart.every((one) => one.allows(name)))
      }),
    )
  })

  test('a tool of which nothing is said needs approval wherever one needs it that reads, or one that writes', () => {
    assert(
      fc.property(approval, name, fc.boolean(), (approval, name, isReadOnly) => {
        const rules = { require_approval: approval ?? null }
        if (declare(rules, () => isReadOnly).needsApproval(name)) expect(declare(rules).needsApproval(name)).toBe(true)
      }),
    )
  })
})

describe('an invalid rule is refused with its path', () => {
  const APPROVAL = "'always', 'never' or { always, never }"
  const FILTER = 'tool names or { tool_names }'
  test.each<[unknown, string]>([
    [{ require_approval: 'sometimes' }, `require_approval: expected ${APPROVAL}, got "sometimes"`],
    [{ require_approval: 'Always' }, `require_approval: expected ${APPROVAL}, got "Always"`],
    [{ require_approval: '' }, `require_approval: expected ${APPROVAL}, got ""`],
    [{ require_approval: true }, `require_approval: expected ${APPROVAL}, got true`],
    [{ require_approval: false }, `require_approval: expected ${APPROVAL}, got false`],
    [{ require_approval: 1 }, `require_approval: expected ${APPROVAL}, got 1`],
    [{ require_approval: ['always'] }, `require_approval: expected ${APPROVAL}, got an array`],
    [{ require_approval: [] }, `require_approval: expected ${APPROVAL}, got an array`],
    [{ require_approval: { always: 'write' } }, `require_approval.always: expected ${FILTER}, got "write"`],
    [{ require_approval: { always: true } }, `require_approval.always: expected ${FILTER}, got true`],
    [{ require_approval: { always: false } }, `require_approval.always: expected ${FILTER}, got false`],
    [{ require_approval: { never: false } }, `require_approval.never: expected ${FILTER}, got false`],
    [{ require_approval: { never: '' } }, `require_approval.never: expected ${FILTER}, got ""`],
    [{ require_approval: { never: 5 } }, `require_approval.never: expected ${FILTER}, got 5`],
    [
      { require_approval: { always: { tool_names: 'write' } } },
      `require_approval.always: expected ${FILTER}, got an object`,
    ],
    [
      { require_approval: { always: {}, never: { tool_names: [1] } } },
      `require_approval.never: expected ${FILTER}, got an object`,
    ],
    [{ allowed_tools: true }, `allowed_tools: expected ${FILTER}, got true`],
    [{ allowed_tools: '' }, `allowed_tools: expected ${FILTER}, got ""`],
    [{ allowed_tools: ['read', null] }, `allowed_tools: expected ${FILTER}, got an array`],
    [{ allowed_tools: { tool_names: { read: true } } }, `allowed_tools: expected ${FILTER}, got an object`],
  ])('an invalid rule is refused with its path: %j', (rules, message) => {
    const refused =
      (path: string): unknown =>
      () =>
        declareMcpServer(entry(rules as Rules), path)
    expect(refused('')).toThrow(new HarmonyResponsesError('bad_option', message))
    expect(refused('tools[3].')).toThrow(new HarmonyResponsesError('bad_option', `tools[3].${message}`))
  })

  test.each<[string, unknown]>([
    ['allowed_tools', { allowed_tools: { read_only: 'true' } }],
    ['require_approval.always', { require_approval: { always: { read_only: 'false' } } }],
    ['require_approval.never', { require_approval: { never: { read_only: 1 } } }],
  ])('an invalid rule is refused with its path: %s with a read_only that is neither true nor false', (path, rules) => {
    expect(() => declareMcpServer(entry(rules as Rules), '')).toThrow(
      expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(path) }),
    )
  })
})
