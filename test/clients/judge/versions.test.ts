import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHAT_MODELS } from '../../../src/judge/conformance/chat/clients/index.js'
import { MODELS } from '../../../src/judge/conformance/clients/index.js'
import { MESSAGES_MODELS } from '../../../src/judge/conformance/messages/clients/index.js'

// The profiles describe these versions. Measure another version before you change the number, since it may read streams
// differently.

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
}

const models = [...Object.values(MODELS), ...Object.values(CHAT_MODELS), ...Object.values(MESSAGES_MODELS)]

const measured = models.flatMap(({ name: client, versions }) =>
  Object.entries(versions).map(([name, version]) => [client, name, version] as const),
)

test.each(measured)('the model of %s was measured with the %s that is installed', (_, name, version) => {
  const installed = lock.packages[`node_modules/${name}`]?.version
  const what = `measured: ${name} ${version}; installed: ${name} ${installed}: run npm run test:judge, mend the model, and update its versions`
  expect(installed, what).toBe(version)
})
