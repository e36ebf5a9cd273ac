import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Framing, MessageReader } from '../../../../src/endpoint/tools/mcp/message-reader.js'
import { RUNS } from '../../../support/runs.js'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** Cuts a text into pieces of at most so many bytes. */
function* pieces(text: string, most: number): Generator<Uint8Array> {
  const bytes = encode(text)
  for (let at = 0; at < bytes.length; at += most) yield bytes.subarray(at, at + most)
}

function readAll(framing: Framing, text: string, most: number): { parts: string[]; rest: string } {
  const reader = new MessageReader(framing)
  const parts: string[] = []
  for (const piece of pieces(text, most)) for (const part of reader.push(piece)) parts.push(decode(part))
  return { parts, rest: decode(reader.end()) }
}

const streams = fc.array(fc.constantFrom('\n', '\r', '\r\n', 'data: ', '{"a":"\\"', '[1,', 'ü', ':', ' '), {
  size: 'large',
})

describe('MessageReader', () => {
  test('all bytes of lines come out once and in order, however they are cut', () => {
    fc.assert(
      fc.property(streams, fc.integer({ min: 1, max: 20 }), (texts, most) => {
        const text = texts.join('')
        const { parts, rest } = readAll('lines', text, most)
        expect(parts.join('') + rest).toBe(text)
        for (const part of parts) expect(part.endsWith('\n')).toBe(true)
        expect(rest).not.toContain('\n')
      }),
      { numRuns: RUNS },
    )
  })

  test('of events, all kinds of line ends become line feeds', () => {
    fc.assert(
      fc.property(streams, fc.integer({ min: 1, max: 20 }), (texts, most) => {
        const text = texts.join('')
        const { parts, rest } = readAll('events', text, most)
        expect(parts.join('') + rest).toBe(text.replace(/\r\n?/g, '\n'))
      }),
      { numRuns: RUNS },
    )
  })

  test('a body comes out whole at its end', () => {
    expect(readAll('body', '{"a":\r\n1}\n', 1)).toEqual({ parts: [], rest: '{"a":\r\n1}\n' })
  })

  test('a part has a hundred lines at most', () => {
    const { parts } = readAll('lines', 'x\n'.repeat(250), 1000)
    expect(parts.map((part) => part.length / 2)).toEqual([100, 100, 50])
  })

  test('values are counted outside of texts', () => {
    const text = JSON.stringify({ text: '[{,"\\'.repeat(200_000) })
    expect(readAll('body', text, 65_536).rest).toBe(text)
    expect(() => readAll('body', `{"a":[${'0,'.repeat(300_000)}0]}`, 65_536)).toThrow('more than 250000 values')
  })

  test.each<[Framing, string]>([
    ['lines', '{"a":"x"}\n'],
    ['events', 'data: [1,2,3]\n\n'],
    ['events', 'data: [1,2,3]\r\n\r\n'],
    ['events', 'data: [1,2,3]\r\r'],
  ])('of %s the limits are those of each message: any number of %j is read', (framing, message) => {
    const text = message.repeat(400_000)
    expect(() => readAll(framing, text, 65_536)).not.toThrow()
  })

  test.each<[Framing, string]>([
    ['lines', 'x'],
    ['events', 'data: x\n'],
    ['events', 'data: x\r\n'],
    ['events', 'data: x\r'],
    ['body', 'x\n'],
  ])('%s of %j without end are a message that is too long', (framing, part) => {
    const text = part.repeat(14_000_000 / part.length)
    expect(() => readAll(framing, text, 65_536)).toThrow('longer than 10485760 bytes')
  })
})
