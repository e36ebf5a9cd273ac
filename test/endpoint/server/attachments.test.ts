import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/endpoint/stores/memory-store.js'
import { answer, call, think } from '../../../src/testing/index.js'
import { type Endpoint, endpoint } from './endpoint.js'

const IMAGE = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
const FILE = { type: 'input_file', filename: 'notes.pdf', file_data: 'data:application/pdf;base64,AA==' }
const VIEW = {
  type: 'function',
  name: 'view_image',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}
const user = (...content: object[]): object => ({ type: 'message', role: 'user', content })
const said = (text: string): object => user({ type: 'input_text', text })

/** A model that looks at a picture on request, and then answers with its prompt's text. */
const looking = () =>
  endpoint(({ messages }) => {
    const { role, content = '' } = messages.at(-1) ?? {}
    if (role === 'user' && content.startsWith('Look'))
      return [think('I look.'), call('functions.view_image', { path: 'a.png' })]
    return answer(`I read: ${content}`)
  })

/** The client's input after the call of a response. */
function viewed({ output }: { output: { type: string; call_id?: string }[] }): object {
  const { call_id } = output.find(({ type }) => type === 'function_call') ?? {}
  return { type: 'function_call_output', call_id, output: [IMAGE] }
}

async function answered(create: Endpoint['create'], body: object): Promise<string> {
  const { status, body: response } = await create({ tools: [VIEW], ...body })
  expect([status, response.status]).toEqual([200, 'completed'])
  return response.output.at(-1).content[0].text
}

describe('images in a conversation', () => {
  test('a client whose tool answers with an image continues, and the model reads a placeholder', async () => {
    const { create } = looking()
    const input = [said('Look at the picture.')]
    const first = (await create({ store: false, input, tools: [VIEW] })).body
    const second = [...input, ...first.output, viewed(first)]
    expect(await answered(create, { store: false, input: second })).toBe('I read: [image]')
    expect(await answered(create, { store: false, input: [...second, said('Say hello.')] })).toBe('I read: Say hello.')
  })

  test('a conversation by previous_response_id continues after an image of a tool', async () => {
    const { create } = looking()
    const first = (await create({ input: 'Look at the picture.', tools: [VIEW] })).body
    const second = (await create({ input: [viewed(first)], previous_response_id: first.id, tools: [VIEW] })).body
    expect(second.output.at(-1).content[0].text).toBe('I read: [image]')
    expect(await answered(create, { input: 'Say hello.', previous_response_id: second.id })).toBe('I read: Say hello.')
  })

  test('an image in the last message of the user is 400, in words that say how to allow it', async () => {
    const { create, engine } = looking()
    expect(await create({ input: [said('Hi.'), user(IMAGE)] })).toMatchObject({
      status: 400,
      body: {
        error: {
          param: 'input[1].content[0]',
          code: 'unsupported_value',
          message: expect.stringContaining("images: 'placeholder', or serve --images placeholder"),
        },
      },
    })
    expect(engine.calls).toEqual([])
  })

  test('a client that leaves a refused image in its conversation continues with its next message', async () => {
    const { create } = looking()
    const input = [user(IMAGE, FILE)]
    expect((await create({ input })).status).toBe(400)
    expect(await answered(create, { input: [...input, said('Never mind.')] })).toBe('I read: Never mind.')
  })

  test('the last message of the user is that of the whole conversation, with what came before the request', async () => {
    const store = createMemoryStore()
    const lenient = endpoint(() => answer('Hm.'), { store, response: { images: 'placeholder' } })
    const { id } = (await lenient.create({ input: [user(IMAGE)] })).body
    const { create } = endpoint(() => answer('Hm.'), { store })
    const briefly = { type: 'message', role: 'developer', content: 'Be brief.' }
    expect(await create({ previous_response_id: id, input: [briefly] })).toMatchObject({
      status: 400,
      body: { error: { param: 'previous_response_id', code: 'unsupported_value' } },
    })
    expect((await create({ previous_response_id: id, input: [briefly, said('Go on.')] })).status).toBe(200)
    const own = await create({ previous_response_id: id, input: [user(IMAGE)] })
    expect(own).toMatchObject({ status: 400, body: { error: { param: 'input[0].content[0]' } } })
  })

  test('a conversation that ends in an image is compacted', async () => {
    const { ask, engine } = endpoint(() => answer('A summary.'))
    const { status } = await ask('POST', '/responses/compact', { model: 'gpt-oss', input: [user(IMAGE, FILE)] })
    expect(status).toBe(200)
    expect(engine.calls[0]?.messages.map(({ content }) => content)).toContain('[image]\n[file notes.pdf]')
  })

  test('images: refuse refuses an image that a tool returned', async () => {
    const { create } = endpoint([call('functions.view_image', { path: 'a.png' })], { response: { images: 'refuse' } })
    const first = (await create({ input: 'Look.', tools: [VIEW] })).body
    const refused = await create({ previous_response_id: first.id, input: [viewed(first)], tools: [VIEW] })
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'input[0].output[0]' } } })
  })

  test('Chat Completions has the same rule', async () => {
    const { ask, engine } = looking()
    const image = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }
    const file = { role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: 'AA==' } }] }
    const audio = { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] }
    const send = (...messages: object[]) => ask('POST', '/chat/completions', { model: 'gpt-oss', messages })
    expect(await send(image)).toMatchObject({
      status: 400,
      body: { error: { param: 'messages[0].content[0]', message: expect.stringContaining('--images placeholder') } },
    })
    expect((await send(file, audio)).body.error.param).toBe('messages[1].content[0]')
    const { status, body } = await send(image, file, audio, { role: 'user', content: 'Go on.' })
    expect([status, body.choices[0].message.content]).toEqual([200, 'I read: Go on.'])
    const read = engine.calls[0]?.messages.slice(-4).map(({ content }) => content)
    expect(read).toEqual(['[image]', '[file a.pdf]', '[file audio.wav]', 'Go on.'])
  })
})
