import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openPython } from '../../../src/cli/serve/open-python.js'
import { describeWithBubblewrap } from '../../support/bubblewrap.js'
import { dockerStandIn, type StandIn } from '../../support/docker-stand-in.js'
import { refusal, serve } from '../served.js'

const { PATH } = process.env
let standIn: StandIn
beforeAll(() => {
  standIn = dockerStandIn()
})
afterAll(() => standIn.remove())
afterEach(() => {
  process.env['PATH'] = PATH
})

const settings = { python: 'auto', pythonImage: undefined, pythonNetwork: false } as const

test('without --python there is none', async () => {
  expect(await openPython({ ...settings, python: undefined })).toBeUndefined()
})

test('where no boundary works, one line says what to install for each', async () => {
  process.env['PATH'] = '/nowhere'
  await expect(openPython(settings)).rejects.toThrow(
    /^--python auto: bwrap: not found\. Install the package bubblewrap; docker: not found\. Install docker; podman: not found\. Install podman$/,
  )
  await expect(openPython({ ...settings, python: 'docker' })).rejects.toThrow(
    /^--python docker: docker: not found\. Install docker$/,
  )
})

describeWithBubblewrap('with bubblewrap', () => {
  test('auto takes it, and says which bound holds', async () => {
    const opened = await openPython(settings)
    expect(opened?.about).toEqual([
      expect.stringMatching(
        /^code_interpreter: Python by bwrap, without a network; a session has 1024 MiB .* 64 processes by /,
      ),
    ])
    opened?.close?.()
  })

  test('a replay starts with it, and answers as recorded', async () => {
    const { client } = await serve(['--replay', '--python', 'auto'])
    const { output } = await client.responses.create({
      input: 'What is the 20th Fibonacci number?',
      tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
      include: ['code_interpreter_call.outputs'],
    } as never)
    expect(output.find(({ type }) => type === 'code_interpreter_call')).toMatchObject({
      outputs: [{ type: 'logs', logs: '6765\n' }],
    })
  })

  test('an MCP server with its label is refused by one line, and the command ends', async () => {
    const args = ['--replay', '--python', 'auto', '--mcp', 'code_interpreter=http://127.0.0.1:1/mcp']
    const line = '--mcp code_interpreter: expected another label with --python, whose tool has this one'
    expect(await refusal(args)).toEqual([2, line])
  })

  test('an image is for Docker, or else Podman', async () => {
    process.env['PATH'] = `${standIn.folder}:${PATH}`
    const opened = await openPython({ ...settings, pythonImage: 'my/python', pythonNetwork: true })
    opened?.close?.()
    expect(opened?.about).toEqual([
      'code_interpreter: Python by docker, with a network; a session has 1024 MiB and 64 processes by docker',
    ])
    expect(standIn.calls('docker').join('\n')).toContain('--network bridge')
    const podman = await openPython({ ...settings, python: 'podman' })
    podman?.close?.()
    expect(standIn.calls('podman')[0]).toContain('docker.io/library/python:3.13-slim')
  })
})
