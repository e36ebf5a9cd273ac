import { describe, expect, test } from 'vitest'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import type { AttachmentPolicy } from '../../../src/endpoint/prompt/attachments.js'
import { promptMessages } from '../../../src/endpoint/prompt/prompt-messages.js'
import { renderPrompt } from '../../../src/endpoint/prompt/render-prompt.js'
import { RequestError } from '../../../src/shared/request-error.js'

const tokenTable = await loadTokenTable()
const DATE = '2026-01-31'

const IMAGE = { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' }
const AUDIO = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }
const user = (...content: object[]): object => ({ type: 'message', role: 'user', content })
const said = (text: string): object => user({ type: 'input_text', text })
const call = { type: 'function_call', call_id: 'c1', name: 'view_image', arguments: '{"path":"a.png"}' }
const viewed = { type: 'function_call_output', call_id: 'c1', output: [IMAGE] }
const patch = { type: 'custom_tool_call', call_id: 'c2', name: 'shoot', input: 'now' }
const shot = { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'computer_screenshot' }] }

/** The contents of the conversation, or the parameter that is refused. */
function read(input: readonly object[], images?: AttachmentPolicy): string[] | string | null {
  try {
    const messages = promptMessages({ input }, { date: DATE, ...(images && { images }) })
    return messages.filter(({ role }) => role !== 'system').map(({ content }) => content)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    expect(error.code).toBe('unsupported_value')
    return error.param
  }
}

describe('images and files', () => {
  test.each([
    ['in base64', `data:text/plain;base64,${btoa('Hi there.')}`, 'Hi there.'],
    ['in base64, with a charset', `data:text/plain;charset=utf-8;base64,${btoa('caf\u00c3\u00a9')}`, 'café'],
    ['escaped', 'data:text/plain,Hi%20there.', 'Hi there.'],
  ])('a file of plain text is read, %s, in the last message, too', (_, file_data, text) => {
    expect(read([user({ type: 'input_file', filename: 'a.txt', file_data })])).toEqual([`[file a.txt]\n${text}`])
  })

  test.each([
    ['that is no text', 'data:application/pdf;base64,SGk='],
    ['whose base64 is broken', 'data:text/plain;base64,%%%'],
    ['whose bytes are no UTF-8', `data:text/plain;base64,${btoa('\xff')}`],
  ])('a file %s is refused in the last message', (_, file_data) => {
    expect(read([user({ type: 'input_file', filename: 'a.txt', file_data })])).toBe('input[0].content[0]')
  })

  test('an image that a tool returned is a placeholder, and the conversation continues', () => {
    const first = [said('Look at the picture.'), call, viewed]
    expect(read(first)).toEqual(['Look at the picture.', '{"path":"a.png"}', '[image]'])
    expect(read([...first, said('Say hello.')])?.at(-1)).toBe('Say hello.')
    expect(read([said('Shoot.'), patch, shot])).toEqual(['Shoot.', 'now', '[image]'])
  })

  test('an image, audio or file before the last message of the user is a placeholder', () => {
    const file = { type: 'input_file', filename: 'notes.pdf', file_data: 'AA==' }
    expect(read([user(IMAGE, AUDIO, file), said('Go on.')])).toEqual(['[image]\n[audio]\n[file notes.pdf]', 'Go on.'])
  })

  test('an image, audio or file in the last message of the user is refused', () => {
    for (const part of [IMAGE, AUDIO, { type: 'input_file', filename: 'a.pdf' }]) {
      expect(read([said('Hi.'), user({ type: 'input_text', text: 'See:' }, part)])).toBe('input[1].content[1]')
    }
  })

  test('an image in the last message of the user is refused while tools answer, too', () => {
    expect(read([user(IMAGE), call, viewed])).toBe('input[0].content[0]')
  })

  test('an image in instructions is refused unless a message of the user follows', () => {
    const instructions = { type: 'message', role: 'developer', content: [IMAGE] }
    expect(read([instructions])).toBe('input[0].content[0]')
    expect(read([said('Hi.'), instructions])).toBe('input[1].content[0]')
    expect(read([said('Hi.'), instructions, said('Go on.')])).toEqual(['Hi.', '# Instructions\n\n[image]', 'Go on.'])
  })

  test('the refusal of an image says how to allow it', () => {
    const refused = () => promptMessages({ input: [user(IMAGE)] }, { date: DATE })
    expect(refused).toThrow("images: 'placeholder', or serve --images placeholder")
    expect(refused).toThrow('Send text instead')
  })

  test.each([
    ['refuse', 'input[0].content[0]'],
    ['placeholder', ['[image]', 'Look.', '{"path":"a.png"}', '[image]', '[image]']],
    ['refuse-last', 'input[4].content[0]'],
  ] as const)('images: %s holds for the whole conversation', (images, expected) => {
    expect(read([user(IMAGE), said('Look.'), call, viewed, user(IMAGE)], images)).toEqual(expected)
  })

  test('images: refuse refuses an image that a tool returned', () => {
    expect(read([said('Look.'), call, viewed], 'refuse')).toBe('input[2].output[0]')
  })

  test.each([
    [{ filename: 'a.pdf', file_id: 'file_1' }, '[file a.pdf]'],
    [{ file_id: 'file_1' }, '[file file_1]'],
    [{ file_url: 'https://example.com/a.pdf?sig=secret#page' }, '[file https://example.com/a.pdf]'],
    [{ file_url: 'data:application/pdf;base64,AA==' }, '[file]'],
    [{ filename: '', file_data: 'AA==' }, '[file]'],
  ])('the placeholder of a file names it: %j', (file, placeholder) => {
    expect(read([user({ type: 'input_file', ...file }), said('Hi.')])).toEqual([placeholder, 'Hi.'])
  })

  test('a prompt counts the placeholders that the model reads', () => {
    const input = [user(IMAGE, AUDIO), said('Look.'), call, viewed]
    expect(renderPrompt({ input }, { tokenTable, date: DATE }).placeholders).toBe(3)
    expect(renderPrompt({ input: 'Hi' }, { tokenTable, date: DATE }).placeholders).toBe(0)
  })

  test('an unknown policy for images is bad_option', () => {
    expect(() => promptMessages({ input: 'Hi' }, { date: DATE, images: 'drop' as never })).toThrow(
      "images: expected one of 'refuse-last', 'refuse', 'placeholder'",
    )
  })
})
