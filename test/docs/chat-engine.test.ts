import { expect, test } from 'vitest'
import { CHAT_PRESETS } from '../../src/engines/sources/chat/presets.js'
import { DEFAULT_TRAITS, TRAITS } from '../../src/engines/sources/chat/traits.js'
import { expectGeneratedRows } from './generated.js'
import { pageOf } from './pages.js'

const shown = (value: unknown): string => {
  if (!Array.isArray(value)) return `\`${String(value)}\``
  return value.length === 0 ? 'none' : value.map((each) => `\`${each}\``).join(', ')
}

test('docs/chat-engine.md has the presets', () => {
  const rows = Object.entries(CHAT_PRESETS).map(([name, traits]) => {
    const differences = Object.entries(traits).map(([field, value]) => `\`${field}\` ${shown(value)}`)
    return `| \`${name}\` | ${differences.join('; ')} |`
  })
  expectGeneratedRows('docs/chat-engine.md', 'presets', rows)
})

test('docs/chat-engine.md has the options, with what holds without them', () => {
  const [, section = ''] = /\n## Options\n([\s\S]*?)\n## /.exec(pageOf('docs/chat-engine.md')) ?? []
  const rows = Array.from(section.matchAll(/^\| `(\w+)` \|.*\| (.*) \|$/gm), ([, name, text]) => [name, text])
  const expected = Object.keys(TRAITS).map((name) => [name, shown(DEFAULT_TRAITS[name as keyof typeof DEFAULT_TRAITS])])
  expect(rows).toEqual(expected)
})
