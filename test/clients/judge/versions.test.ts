import { expect, test } from 'vitest'
import { CHAT_MODELS } from '../../../src/judge/conformance/chat/clients/index.js'
import { MODELS } from '../../../src/judge/conformance/clients/index.js'
import { MESSAGES_MODELS } from '../../../src/judge/conformance/messages/clients/index.js'
import { installedVersion } from './installed.js'

// The profiles describe these versions. Measure another version before you change the number, since it may read streams
// differently.

const models = [...Object.values(MODELS), ...Object.values(CHAT_MODELS), ...Object.values(MESSAGES_MODELS)]

const measured = models.flatMap(({ name: client, versions }) =>
  Object.entries(versions).map(([name, version]) => [client, name, version] as const),
)

test.each(measured)('the model of %s was measured with the %s that is installed', (_, name, version) => {
  const installed = installedVersion(name)
  const what = `measured: ${name} ${version}; installed: ${name} ${installed}: run npm run test:judge, mend the model, and update its versions`
  expect(installed, what).toBe(version)
})
