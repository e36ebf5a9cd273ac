import { expect, test } from 'vitest'
import { kindOf } from '../../../src/core/items/kinds.js'
import { BUILTIN_TOOLS, builtinNamed, builtinOf, builtinOfItem } from '../../../src/core/recipients/builtin-tools.js'
import { classifyRecipient } from '../../../src/core/recipients/classify.js'
import { declareTools } from '../../../src/core/recipients/declared-tools.js'
import { builtin } from './tools.js'

test.each(BUILTIN_TOOLS)(
  'every recipient by which %s is taught is one of its own, and its call is of that tool',
  (tool) => {
    const { namespace, item, recipients } = builtinNamed(tool)
    const taught = namespace()
    if (taught === null) return
    const names = taught.tools.length === 0 ? [taught.name] : taught.tools.map(({ name }) => `${taught.name}.${name}`)
    for (const name of names) {
      expect(Object.keys(recipients)).toContain(name)
      expect(classifyRecipient(name, 'commentary', declareTools([builtin(tool)])).kind).toBe(item)
    }
  },
)

test.each(BUILTIN_TOOLS)('the kind of the items of %s checks the data that its results may have', (tool) => {
  const { item, data } = builtinNamed(tool)
  const { lists = {} } = kindOf({ type: item })
  expect(Object.keys(lists).sort()).toEqual([...data].sort())
})

test('no two built-in tools have one item, so that an item says whose call it is', () => {
  for (const tool of BUILTIN_TOOLS) {
    expect(builtinOf(tool)).toBe(tool)
    expect(builtinOfItem(builtinNamed(tool).item)).toBe(tool)
  }
})

test.each(BUILTIN_TOOLS)(
  'an empty call of %s is one that its host would be asked to run, if a host runs such calls',
  (tool) => {
    const { example, runBy, item, isHosted, isWaiting } = builtinNamed(tool)
    expect(example === null).toBe(runBy === 'client')
    if (example === null) return
    expect(example.type).toBe(item)
    expect(isHosted(example)).toBe(true)
    expect(isWaiting(example)).toBe(true)
  },
)
