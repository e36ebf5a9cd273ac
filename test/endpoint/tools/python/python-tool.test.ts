import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { DRIVER } from '../../../../src/endpoint/tools/python/driver.js'
import { bubblewrap, createPythonTool } from '../../../../src/endpoint/tools/python/index.js'
import { describeWithBubblewrap } from '../../../support/bubblewrap.js'
import { contextOf, notebook, pythonCall, realPython, serverCall } from './fixtures.js'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Debian's package `python3-matplotlib` is missing, which CI has. */
const NO_MATPLOTLIB =
  process.env['PYTHON_REQUIRED'] !== '1' && spawnSync('/usr/bin/python3', ['-c', 'import matplotlib']).status !== 0

describeWithBubblewrap('a notebook', () => {
  test('keeps its variables, and shows what is printed and the last expression', async () => {
    const run = await notebook()
    expect(await run('x = 6\nprint("set")')).toMatchObject({ output: 'set\n' })
    expect(await run('x * 7')).toMatchObject({ output: '42\n', outputs: [{ type: 'logs', logs: '42\n' }] })
    expect(await run('_ + 1')).toMatchObject({ output: '43\n' })
    expect(await run('y = x')).toMatchObject({ output: 'The cell printed nothing.', outputs: [] })
  })

  test('shows standard error, and what its commands print, in their order', async () => {
    const run = await notebook()
    const code =
      'import os, sys\nprint("a")\nsys.stderr.write("b\\n")\nsys.stdout.flush()\nstatus = os.system("echo c")'
    expect((await run(code)).output).toBe('a\nb\nc\n')
  })

  test('shows an error as its traceback, with the line of the cell and nothing of the driver', async () => {
    const run = await notebook()
    const { output, error } = await run('def f():\n    return 1 / 0\nf()')
    expect(output).toMatch(/^Traceback \(most recent call last\):\n {2}File "<cell 1>", line 3, in <module>\n {4}f\(\)/)
    expect(output).toMatch(/ZeroDivisionError: division by zero\n$/)
    expect(output).not.toContain('<string>')
    expect(error).toBeUndefined()
    expect((await run('1 +')).output).toContain('SyntaxError: invalid syntax')
  })

  test('awaits, pickles its classes, and survives sys.exit and a closed output', async () => {
    const run = await notebook()
    expect((await run('import asyncio\nawait asyncio.sleep(0.001, "slept")')).output).toBe("'slept'\n")
    expect((await run('import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))).__name__')).output).toBe(
      "'A'\n",
    )
    expect((await run('import sys\nsys.exit(3)')).output).toBe('SystemExit: 3\n')
    await run('import os\nos.close(1)\nos.close(2)')
    expect((await run('print("here")')).output).toBe('here\n')
  })

  test('keeps files in /mnt/data, where it works, and can import them', async () => {
    const run = await notebook()
    await run('open("mod.py", "w").write("answer = 42")')
    expect(
      (await run('import mod, os\nprint(mod.answer, os.getcwd(), os.path.exists("/mnt/data/mod.py"))')).output,
    ).toBe('42 /mnt/data True\n')
  })

  test('gives images of the last expression to the client, and tells the model of them', async () => {
    const run = await notebook()
    const code = `import base64\nclass P:\n    def _repr_png_(self): return base64.b64decode("${PIXEL}")\nprint("drawn")\nP()`
    expect(await run(code)).toEqual({
      output: 'drawn\n\n[image]',
      outputs: [
        { type: 'logs', logs: 'drawn\n' },
        { type: 'image', url: `data:image/png;base64,${PIXEL}` },
      ],
    })
  })

  test('gives the figures of matplotlib, once', async () => {
    const run = await notebook()
    // What the driver needs of it.
    const stub =
      'import sys, types, base64\nclass Figure:\n    def savefig(self, file, **_): file.write(base64.b64decode("PIXEL"))\n' +
      'plots = types.ModuleType("matplotlib.pyplot")\nplots.open = [1]\nplots.get_fignums = lambda: plots.open\n' +
      'plots.figure = lambda number: Figure()\nplots.close = lambda what: plots.open.clear()\n' +
      'sys.modules["matplotlib.pyplot"] = plots'
    const { outputs } = await run(stub.replace('PIXEL', PIXEL))
    expect(outputs).toEqual([{ type: 'image', url: `data:image/png;base64,${PIXEL}` }])
    expect((await run('1')).outputs).toEqual([{ type: 'logs', logs: '1\n' }])
  })

  test.skipIf(NO_MATPLOTLIB)('gives a figure that the real matplotlib draws, where it is installed', async () => {
    // With 256 MiB, its linear algebra asks for memory without end.
    const run = await notebook({ memoryBytes: 1_073_741_824 })
    const { output, outputs } = await run(
      'import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.show()\nplt.title("squares")',
    )
    const images = (outputs ?? []).flatMap((each) => (each.type === 'image' ? [each.url] : []))
    expect(output).toContain('[image]')
    expect(images).toHaveLength(1)
    const [start, data = ''] = images[0]?.split(',') ?? []
    const png = Buffer.from(data, 'base64')
    expect([start, png.subarray(1, 4).toString(), png.length > 5_000]).toEqual(['data:image/png;base64', 'PNG', true])
    expect((await run('1')).outputs).toEqual([{ type: 'logs', logs: '1\n' }])
  })

  test('leaves out an image that is too large, and says so', async () => {
    const run = await notebook({ maxImageBytes: 100 })
    const { output, outputs } = await run('class P:\n    def _repr_png_(self): return b"x" * 1000\nP()')
    expect(output).toBe('[an image of 1000 bytes was left out]\n')
    expect(outputs).toHaveLength(1)
  })

  test('keeps its state when a cell takes too long', async () => {
    const run = await notebook({ seconds: 1 })
    await run('x = 1')
    const { output, error } = await run(
      'import time\nwhile True:\n    try:\n        time.sleep(60)\n    except BaseException:\n        if x > 2: raise\n        x += 1',
    )
    expect(output).toMatch(
      /KeyboardInterrupt\n\[The cell was interrupted: it took more than 1 seconds. Its variables are kept.\]\n$/,
    )
    expect(error).toBeUndefined()
    expect((await run('x')).output).toBe('3\n')
  })

  test('that cannot be interrupted ends; the next cell has a new one, and is told', async () => {
    const run = await notebook({ seconds: 1 })
    await run('x = 1')
    const { error } = await run('print("begun", flush=True)\nsum(range(10**12))')
    expect(error?.message).toBe(
      'Python ended in the middle of the cell: it took more than 1 seconds, and could not be interrupted. How much of the ' +
        'cell was done is unknown. The variables and files of the session are lost; the next cell starts a new one.',
    )
    const earlierResults = () => [{ tool: 'python', text: '' }]
    const after = await run('"x" in globals()', undefined, { earlierResults })
    expect(after.output).toBe(
      '[The earlier session has ended. This is a new one, without its variables and files.]\nFalse\n',
    )
  }, 20_000)

  test.each([
    ['os._exit(3)', 'exit code 3'],
    ['os.kill(os.getpid(), 9)', 'signal 9'],
    ['import ctypes; ctypes.string_at(0)', 'signal 11'],
  ])('that dies by %s says how, with what was printed', async (code, how) => {
    const run = await notebook()
    const { output, error } = await run(`import os\nprint("before", flush=True)\n${code}`)
    expect(output).toBe('before\n')
    expect(error?.message).toContain(
      `Python ended in the middle of the cell: ${how}. How much of the cell was done is unknown.`,
    )
  })

  test('a cell whose caller leaves is interrupted, and the next one runs in the same session', async () => {
    const run = await notebook()
    await run('x = 1')
    const leaving = new AbortController()
    const left = run('x = 2\nwhile True: pass', undefined, { signal: leaving.signal })
    setTimeout(() => leaving.abort(new Error('left')), 200)
    await expect(left).rejects.toThrow('left')
    expect((await run('x')).output).toBe('2\n')
  })

  test('cells of one turn run one after another', async () => {
    const run = await notebook()
    const results = await Promise.all(['x = [1]', 'x.append(2)', 'x'].map((code) => run(code)))
    expect(results[2]?.output).toBe('[1, 2]\n')
  })

  test('of another container or another owner knows nothing of it', async () => {
    const run = await notebook()
    await run('x = 1\nopen("f", "w").write("x")', 'cntr_1', { owner: 'ann' })
    const look = 'import os\nprint("x" in globals(), os.listdir("/mnt/data"))'
    expect((await run(look, 'cntr_2', { owner: 'ann' })).output).toBe('False []\n')
    expect((await run(look, 'cntr_1', { owner: 'bob' })).output).toBe('False []\n')
    expect((await run(look, 'cntr_1', { owner: 'ann' })).output).toBe("True ['f']\n")
  })

  test('ends when it is idle for too long', async () => {
    const run = await notebook({ idleSeconds: 1 })
    await run('x = 1')
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect((await run('"x" in globals()')).output).toBe('False\n')
  })

  test('too many sessions end one that is idle, of the owner who has most', async () => {
    const run = await notebook({ maxSessions: 3 })
    for (const [owner, id] of [
      ['ann', 'a'],
      ['bob', 'b'],
      ['bob', 'c'],
      ['cy', 'd'],
    ] as const)
      await run('x = 1', id, { owner })
    const has = async (owner: string, id: string) => (await run('"x" in globals()', id, { owner })).output
    expect(await has('ann', 'a')).toBe('True\n')
    expect(await has('bob', 'c')).toBe('True\n')
    expect(await has('bob', 'b')).toBe('False\n')
  })

  test('where all are busy, the model reads it', async () => {
    const run = await notebook({ maxSessions: 1 })
    const leaving = new AbortController()
    const busy = run('while True: pass', 'a', { signal: leaving.signal })
    expect(await run('1', 'b')).toEqual({ error: { message: 'All Python sessions are busy. Try again later.' } })
    leaving.abort()
    await expect(busy).rejects.toThrow()
  })
})

describeWithBubblewrap('the tool', () => {
  test('answers code, and Python of a server of its name, and nothing else', async () => {
    const python = await realPython()
    expect(python.answers(pythonCall('1'))).toBe(true)
    expect(python.answers(serverCall('1'))).toBe(true)
    expect(python.answers({ ...serverCall('1'), server_label: 'other' } as never)).toBe(false)
    expect(python.answers({ type: 'web_search_call' } as never)).toBe(false)
  })

  test('runs code that the model writes as such, or as JSON, to a server; the next response goes on with its session', async () => {
    const python = await realPython()
    const run = async (code: string, responseId: string, previous_response_id?: string) =>
      (await python.run(serverCall(code), contextOf({ responseId, request: { previous_response_id } as object })))
        .output
    expect(await run('x = 6\nx', 'resp_1')).toBe('6\n')
    expect(await run('{"code": "x * 7"}', 'resp_2', 'resp_1')).toBe('42\n')
    expect(await run('x', 'resp_2', 'resp_1')).toBe('6\n')
    expect(await run('"x" in globals()', 'resp_3')).toBe('False\n')
    python.close()
  })

  test('that is closed while sessions start leaves no process', async () => {
    const mark = `/usr/share/of-${process.pid}-${Date.now()}`
    const python = await realPython({ boundary: bubblewrap({ folders: [mark] }) })
    for (const wait of [0, 5, 10, 20, 40]) {
      const left = python.run(pythonCall('1', `cntr_${wait}`), contextOf())
      await new Promise((resolve) => setTimeout(resolve, wait))
      python.close()
      await left
    }
    const commands = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    await expect.poll(() => commands().includes(mark), { timeout: 4_000 }).toBe(false)
  })

  test('that is closed has ended all sessions', async () => {
    const python = await realPython()
    await python.run(pythonCall('x = 1'), contextOf())
    python.close()
    expect((await python.run(pythonCall('"x" in globals()'), contextOf())).output).toBe('False\n')
    python.close()
  })
})

describe('a boundary that does not hold', () => {
  const limits = { about: '' }
  const made = (command: readonly string[]) =>
    createPythonTool({ boundary: { name: 'none', open: async () => ({ ...limits, command: () => command }) } })

  test('is refused, with what it said', async () => {
    await expect(made(['sh', '-c', 'echo "no namespaces" >&2; exit 3'])).rejects.toThrow(
      'none: its first session ended: exit code 3: no namespaces',
    )
    const python = ['python3', '-I', '-c', DRIVER, '1000']
    await expect(made(python)).rejects.toThrow(
      'none: its first session ended: exit code 1: it is not process 1 of a boundary',
    )
    await expect(made(['/nowhere/bwrap'])).rejects.toThrow('none: its first session ended: not found')
  })
})
