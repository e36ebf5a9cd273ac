import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/cli/serve/config-file.js'
import { mcpServers } from '../../../src/cli/serve/mcp-servers.js'
import { namedBlock } from '../../docs/pages.js'
import { fakeIo } from '../io.js'

test('docs/systems.md shows a path with blanks in a configuration', async () => {
  const io = fakeIo({ 'serve.json': namedBlock('docs/systems.md', 'quoted path').code })
  const { values } = await readConfig('serve.json', io)
  expect(mcpServers(values.mcp ?? [], '--mcp')).toEqual([
    { label: 'weather', config: { command: 'C:\\Program Files\\nodejs\\node.exe', args: ['server.mjs'] } },
  ])
})

describe('the command of an MCP server', () => {
  test.each([
    ['npx -y server', 'npx', ['-y', 'server']],
    ['"C:\\Program Files\\nodejs\\node.exe" server.mjs', 'C:\\Program Files\\nodejs\\node.exe', ['server.mjs']],
    ['C:\\tools\\server.exe C:\\data\\a.db', 'C:\\tools\\server.exe', ['C:\\data\\a.db']],
    ['C:\\tools\\server --in \\\\host\\share', 'C:\\tools\\server', ['--in', '\\\\host\\share']],
    ['C:/tools/server data', 'C:/tools/server', ['data']],
  ])('may be %s', (given, command, args) => {
    expect(mcpServers([`weather=${given}`], '--mcp')).toEqual([{ label: 'weather', config: { command, args } }])
  })

  test.each(['C:\\Program Files\\nodejs\\node.exe server.mjs', 'c:\\Users\\Ann B Smith\\server.exe'])(
    'is refused without quotes around a path with blanks: %s',
    (given) => {
      const way = 'weather="C:\\Program Files\\…\\NAME.exe" …'
      const message = `--offer weather: expected quotes around a path with blanks: ${way}`
      expect(() => mcpServers([`weather=${given}`], '--offer')).toThrow(message)
    },
  )
})
