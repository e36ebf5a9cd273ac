import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fromMessagesRequest } from '../../../src/dialects/index.js'
import { MESSAGES_FIELDS } from '../../../src/dialects/messages/fields.js'
import { promptMessages } from '../../../src/endpoint/prompt/index.js'
import { parseRequest } from '../../../src/endpoint/request/index.js'
import { describeWithShared, sharedFolder } from '../../support/shared-data.js'

interface Sent {
  readonly file: string
  readonly body: { readonly messages: readonly { readonly role: string }[]; readonly tools?: object[] }
}

/** Every `POST /v1/messages` that Claude Code sent. */
function requests(): Sent[] {
  return ['data/requests/claude-code', 'data/requests-2'].flatMap((name) => {
    const folder = join(String(sharedFolder()), name)
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
    return files.sort().flatMap((file) => {
      const { url, body } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      return /\/v1\/messages(\?|$)/.test(url) ? [{ file: `${name}/${file}`, body }] : []
    })
  })
}

describeWithShared('what Claude Code sends', () => {
  const all = requests()

  test('there are at least nine requests of Claude Code to read', () => {
    expect(all.length).toBeGreaterThanOrEqual(9)
  })

  test.each(all)('$file is read, with every message in its place, and every parameter of it is known', ({ body }) => {
    expect(Object.keys(body).filter((name) => !Object.hasOwn(MESSAGES_FIELDS, name))).toEqual([])
    const request = parseRequest(fromMessagesRequest(body).request)
    expect(request.tools ?? []).toHaveLength(body.tools?.filter((tool) => isTaught(tool, body.messages)).length ?? 0)
    const said = promptMessages(request, { date: '2026-01-31' }).slice(2)
    // What is in the middle, and last, is not moved to the front.
    const roles = said.map(({ role }) => role).filter((role) => role === 'user' || role === 'developer')
    const asked = body.messages.flatMap((message) => [
      ...(message.role === 'system' || hasFound(message) ? ['developer'] : []),
      ...(hasText(message) ? ['user'] : []),
    ])
    expect(roles).toEqual(asked)
    expect(request.instructions).not.toContain('x-anthropic-billing-header')
  })
})

/** A tool that is deferred is taught once a result has named it. */
function isTaught(tool: object, messages: readonly object[]): boolean {
  const { name, defer_loading: isDeferred } = tool as { name: string; defer_loading?: boolean }
  return isDeferred !== true || JSON.stringify(messages).includes(`"tool_name":${JSON.stringify(name)}`)
}

/** Whether the result of a search names tools, which are taught behind it. */
function hasFound({ role, content }: { readonly role: string; readonly content?: unknown }): boolean {
  return role === 'user' && JSON.stringify(content).includes('"type":"tool_reference"')
}

/** Whether a user says something beside the results of tools. */
function hasText(message: unknown): boolean {
  const { role, content } = message as { role: string; content: string | { type: string }[] }
  return role === 'user' && (typeof content === 'string' || content.some(({ type }) => type !== 'tool_result'))
}
