import { expect, test } from 'vitest'
import { accumulatorsFor } from '../../support/accumulators.js'
import { sdkTypes } from '../../support/openai-sdk.js'

test('tests of the root that are run here have the openai of this project', () => {
  expect(sdkTypes('version')).toContain('/test/clients/node_modules/openai/')
  // That of the root knows no such event.
  expect(accumulatorsFor([{ type: 'response.shell_call_command.added' } as never])).toHaveLength(1)
})
