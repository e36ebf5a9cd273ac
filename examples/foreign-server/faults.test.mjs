// Finds the faults of a server whose model plays a script: SERVER=http://127.0.0.1:9471 node --test faults.test.mjs

import assert from 'node:assert/strict'
import test from 'node:test'
import { malformedTranscript, tokenSoup, wellFormedTranscript } from 'harmony-responses/conformance/arbitraries'
import { findFaults, formatFaults, playOnServer } from 'harmony-responses/testing'
import { loadTokenTable } from 'harmony-responses/tokens'

const tokenTable = await loadTokenTable()
const play = playOnServer(process.env.SERVER ?? 'http://127.0.0.1:9471')

const TRANSCRIPTS = {
  'what a good model writes': wellFormedTranscript({
    tokenTable,
    tools: ['function', 'web_search', 'code_interpreter'],
  }),
  'what a confused model writes': malformedTranscript({ tokenTable }),
  'any tokens': tokenSoup(),
}

for (const [what, transcripts] of Object.entries(TRANSCRIPTS)) {
  test(`clients can read the stream of ${what}`, async () => {
    assert.equal(formatFaults(await findFaults({ transcripts, play, runs: 60 })), '')
  })
}
