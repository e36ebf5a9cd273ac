import { expect, test } from 'vitest'
import { reopenTurn } from '../../../src/endpoint/journal/response-fold.js'
import { encodeHarmony, encodeText } from '../../support/tokens.js'

const RESULT = '<|start|>functions.f to=assistant<|channel|>commentary<|message|>1<|end|>'
const THINK = '<|start|>assistant<|channel|>analysis<|message|>Hm.'

test.each([
  [`${THINK}<|return|>`, `${THINK}<|end|>`],
  [`${THINK}<|call|>`, `${THINK}<|end|>`],
  [`${THINK}<|endoftext|>`, `${THINK}<|end|>`],
  [`${THINK}<|end|>`, `${THINK}<|end|>`],
  [`${THINK}<|end|><|return|>`, `${THINK}<|end|>`],
  [THINK, `${THINK}<|end|>`],
  [`${THINK}<|end|><|start|>assistant`, `${THINK}<|end|>`],
  [`${THINK}<|end|><|start|>assistant<|return|>`, `${THINK}<|end|>`],
  [`${THINK}<|end|><|start|>`, `${THINK}<|end|>`],
  [`${RESULT}<|start|>assistant<|return|>`, RESULT],
  [`${RESULT}<|start|>assistant<|channel|><|return|>`, `${RESULT}<|start|>assistant<|channel|><|end|>`],
  ['<|start|>assistant', ''],
  ['<|start|>assistantRome<|return|>', '<|start|>assistantRome<|end|>'],
])('another message of the turn follows %s as one follows %s', (before, after) => {
  const transcript = encodeHarmony(before)
  reopenTurn(transcript, encodeText('assistant'))
  expect(transcript).toEqual(encodeHarmony(after))
})
