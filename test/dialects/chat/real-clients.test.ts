import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHAT_FIELDS } from '../../../src/dialects/chat/fields.js'
import { promptMessages } from '../../../src/endpoint/prompt/index.js'
import { describeWithShared, sharedFolder } from '../../support/shared-data.js'
import { parsed } from './cases.js'

/** Every `POST /chat/completions`. */
function requests(): { readonly file: string; readonly body: { messages: object[]; tools?: object[] } }[] {
  const folder = join(String(sharedFolder()), 'data/requests')
  const files = readdirSync(folder).filter((file) => file.endsWith('.json') && file !== 'index.json')
  return files.sort().flatMap((file) => {
    const { url, body } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    return body !== null && /\/v1\/chat\/completions(\?|$)/.test(url) ? [{ file, body }] : []
  })
}

describeWithShared('what real clients send', () => {
  const all = requests()

  test('real clients sent 23 requests to Chat Completions', () => {
    expect(all).toHaveLength(23)
  })

  test.each(all)('$file is read, and every parameter of it is known', ({ body }) => {
    expect(Object.keys(body).filter((name) => !Object.hasOwn(CHAT_FIELDS, name))).toEqual([])
    const request = parsed(body)
    expect(request.tools ?? []).toHaveLength(body.tools?.length ?? 0)
    const said = promptMessages(request, { date: '2026-01-31' }).filter(({ role }) => role === 'user')
    expect(said).toHaveLength(body.messages.filter((message) => 'role' in message && message.role === 'user').length)
  })
})
