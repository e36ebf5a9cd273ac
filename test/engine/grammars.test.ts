import type { LlamaGrammar } from 'node-llama-cpp'
import { afterAll, expect, test } from 'vitest'
import { GBNF_CAPABILITIES } from '../../src/engines/sources/gbnf.js'
import { countsOf, differencesOf, judgedGrammars } from '../servers/grammar-texts.js'
import { cpuLlama } from './model.js'

const llama = await cpuLlama()

afterAll(() => llama.dispose())

/** What its declarations leave out: whether the grammar allows all of a text. */
interface TextTest {
  _testText(text: string): boolean
}

test('every grammar means to llama.cpp what it means to us', async () => {
  const judged = judgedGrammars(GBNF_CAPABILITIES)
  const verdicts: boolean[][] = []
  for (const { grammar, texts } of judged) {
    const read = (await llama.createGrammar({ grammar })) as LlamaGrammar & TextTest
    verdicts.push(texts.map(({ text }) => read._testText(text)))
  }
  const { allowed, refused } = countsOf(judged)
  console.log(`llama.cpp: ${judged.length} grammars, ${allowed} texts that they allow, ${refused} that they refuse`)
  expect(Math.min(allowed, refused)).toBeGreaterThan(0)
  expect(differencesOf(judged, verdicts)).toEqual([])
})
