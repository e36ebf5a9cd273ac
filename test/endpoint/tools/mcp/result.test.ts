import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bounded } from '../../../../src/endpoint/tools/mcp/bounded.js'
import { NotAResult } from '../../../../src/endpoint/tools/mcp/failure.js'
import { resultOf } from '../../../../src/endpoint/tools/mcp/result.js'
import { RUNS } from '../../../support/runs.js'
import { context, inMemory, mcpCall, toolsOf } from './fixtures.js'

const MAX = 1000
const asIs = (text: string): string => text

describe("the model's view of a result", () => {
  const tools = () => toolsOf({ weather: inMemory().config }).tools

  test('the model reads the texts of a result, and a note on each thing that it cannot see', async () => {
    expect(await tools().run(mcpCall('media'), context())).toEqual({
      output: [
        'Look:',
        '[image: image/png, 4 bytes]',
        '[audio: audio/wav, 3 bytes]',
        'what a.txt says',
        '[resource: file:///b.bin, application/octet-stream, 2 bytes]',
        '[resource: file:///c.md, c, notes, text/markdown]',
      ].join('\n'),
    })
  })

  test('the model reads structured content as JSON where there is no text', async () => {
    expect(await tools().run(mcpCall('structured'), context())).toEqual({ output: '{"degrees":21}' })
  })

  test('the model reads the text alone where structured content repeats it', async () => {
    expect(await tools().run(mcpCall('both'), context())).toEqual({ output: '21 degrees' })
  })

  test('the model reads an empty text where the server has nothing to say', async () => {
    expect(await tools().run(mcpCall('silent'), context())).toEqual({ output: '' })
  })

  test('the model reads structured content first, then notes', () => {
    const image = { type: 'image', data: '', mimeType: 'image/png' }
    expect(resultOf({ content: [image], structuredContent: [1] }, MAX, asIs)).toEqual({
      output: '[1]\n[image: image/png, 0 bytes]',
    })
  })

  test('the model reads structured content that is false or zero', () => {
    expect(resultOf({ content: [], structuredContent: 0 }, MAX, asIs)).toEqual({ output: '0' })
  })

  test('the model is told that a tool failed without saying why', () => {
    const message = 'The tool failed and did not say why.'
    expect(resultOf({ content: [], isError: true }, MAX, asIs)).toEqual({ error: { message } })
  })

  test('content of a kind that is not known yet is named', () => {
    expect(resultOf({ content: [{ type: 'video' }, null, 7] }, MAX, asIs)).toEqual({
      output: '[content: video]\n[content]\n[content]',
    })
  })

  test('an error is cut like an output', () => {
    const { error } = resultOf({ content: [{ type: 'text', text: 'x'.repeat(5000) }], isError: true }, MAX, asIs)
    expect(error?.message).toMatch(/^x{900,}\n\[cut off: 5000 bytes in all\]$/)
  })

  test('whatever a server sends is a result, an error or no result', () => {
    fc.assert(
      fc.property(fc.anything(), (answer) => {
        try {
          const { output, error } = resultOf(answer, MAX, asIs)
          expect(typeof (output ?? error?.message)).toBe('string')
        } catch (error) {
          expect(error).toBeInstanceOf(NotAResult)
        }
      }),
      { numRuns: RUNS },
    )
  })
})

describe('bounded', () => {
  test('bounded leaves a text that fits as it was, and cuts any other to its beginning and a note', () => {
    const texts = fc.string({ unit: 'grapheme', size: 'large', maxLength: 400 })
    fc.assert(
      fc.property(texts, fc.integer({ min: 100, max: 800 }), (text, most) => {
        const cut = bounded(text, most)
        const bytes = Buffer.byteLength(text)
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most)
        expect(cut === text).toBe(bytes <= most)
        if (cut === text) return
        const [, kept = '', said] = /^([\s\S]*)\n\[cut off: (\d+) bytes in all\]$/.exec(cut) ?? []
        expect(text.startsWith(kept)).toBe(true)
        expect(kept).not.toMatch(/\p{Surrogate}/u)
        expect(Number(said)).toBe(bytes)
        // At most one character of up to four bytes did not fit.
        expect(Buffer.byteLength(cut)).toBeGreaterThan(most - 4)
      }),
      { numRuns: RUNS },
    )
  })
})
